/** One step of a document on the tasks of a cluster, as a problem for the search. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { indexOf, neededFor } from "../../worker-runtime/graph/graph-index.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import type { GraphDocument } from "../document/model.js";
import { chosenRun } from "../document/run-inputs.js";
import type { ShapeMap } from "../document/shapes.js";
import type { OpLookup } from "../document/signature.js";
import { parseTensorName, tensorName } from "../document/tensor-names.js";
import { wiringOf } from "../document/wiring.js";
import { NodePlaces } from "../kernels/node-places.js";
import type { ClusterEngines } from "../kernels/task-engines.js";
import { type AllowedTasksInput, allowedTasks, tasksByPins } from "./allowed-tasks.js";
import { ShapeEstimates } from "./estimates.js";
import { linksOf } from "./links.js";
import type { Measurements } from "./measurements.js";
import { type PlacementTask, processorsOf } from "./placement-task.js";
import type { Assignment, StepProblem } from "./step-problem.js";
import { taskTimesOf } from "./task-times.js";
import { type Units, unitsOf } from "./units.js";

export interface DocumentStepInput extends AllowedTasksInput {
  readonly document: GraphDocument;
  readonly shapes: ShapeMap;
  readonly engines: ClusterEngines;
  /** At least one. */
  readonly tasks: readonly PlacementTask[];
  readonly measured: Measurements;
  /** The task whose master runs the step; by default the one that runs what nothing pins elsewhere. */
  readonly master?: string | undefined;
}

/** How far the numbers of a problem were measured. */
export interface StepSources {
  readonly nodes: number;
  readonly measuredNodes: number;
  readonly tensors: number;
  /** Tensors of which neither the shape nor a trace tells the size. */
  readonly unknownSizes: number;
  readonly links: number;
  readonly measuredLinks: number;
}

export interface DocumentStep {
  readonly problem: StepProblem;
  readonly start: Assignment;
  /** By number. */
  readonly nodes: readonly string[];
  readonly tasks: readonly PlacementTask[];
  /** The nodes of each unit that belong to the graph, also those that the step does not run. */
  readonly members: readonly (readonly string[])[];
  readonly sources: StepSources;
}

/** The names of the nodes that a step of the document runs. */
export function stepNodes(document: GraphDocument, lookup: OpLookup): ReadonlySet<string> {
  const { fetches, targets } = chosenRun(document, lookup);
  const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
  return neededFor(indexOf(document.nodes), roots, new Set(Object.keys(document.runConfig.feeds)));
}

/** In slices, as a large graph takes some tenths of a second. */
export function* documentStep(input: DocumentStepInput): Sliced<DocumentStep> {
  const { document, lookup, tasks, measured } = input;
  const needed = stepNodes(document, lookup);
  const nodes = [...document.nodes.values()].filter(({ name }) => needed.has(name));
  yield;
  const estimates = new ShapeEstimates(lookup, input.shapes);
  const allUnits = unitsOf(document.nodes, lookup);
  yield;
  const numbering = unitsOfStep(nodes, allUnits);
  const edges = edgesOfStep(document, nodes, estimates, measured);
  yield;
  const cost = costsOf(nodes, document, tasks, estimates, measured);
  yield;
  const links = linksOf(tasks, measured);
  const members = numbering.units.map((unit) => allUnits.list[unit]?.members ?? []);
  const allowed = allowedTasks(members, input);
  yield;
  const start = placesNow(members, input);
  yield;
  const machines = [...new Set(tasks.map(({ machineId }) => machineId))];
  const problem: StepProblem = {
    taskCount: tasks.length,
    processorOf: processorsOf(tasks),
    machineOf: Int32Array.from(tasks, ({ machineId }) => machines.indexOf(machineId)),
    capacity: Float64Array.from(machines, (id) => {
      const bytes = tasks.find(({ machineId }) => machineId === id)?.memoryBytes ?? 0;
      return bytes > 0 ? bytes : Number.POSITIVE_INFINITY;
    }),
    nodeCount: nodes.length,
    order: producersFirst(nodes, edges),
    unitOf: numbering.unitOf,
    micros: cost.micros,
    firstEdge: edges.first,
    edgeTarget: edges.target,
    edgeTensor: edges.tensor,
    tensorBytes: edges.bytes,
    unitCount: members.length,
    allowed,
    residentBytes: Float64Array.from(members, (names) =>
      names.reduce((sum, name) => sum + residentBytes(document.nodes.get(name), estimates), 0),
    ),
    latencyMicros: links.latencyMicros,
    microsPerByte: links.microsPerByte,
    ...taskTimesOf(tasks, input.master, links.latencyMicros, measured),
  };
  return {
    problem,
    start,
    nodes: nodes.map(({ name }) => name),
    tasks,
    members,
    sources: {
      nodes: nodes.length,
      measuredNodes: cost.measured,
      tensors: edges.bytes.length,
      unknownSizes: edges.unknown,
      links: links.count,
      measuredLinks: links.measured,
    },
  };
}

function residentBytes(node: NodeDef | undefined, estimates: ShapeEstimates): number {
  return node === undefined ? 0 : estimates.residentBytes(node);
}

/** The units that a step runs something of, numbered anew. */
function unitsOfStep(nodes: readonly NodeDef[], units: Units): { units: number[]; unitOf: Int32Array } {
  const numbers = new Map<number, number>();
  const unitOf = Int32Array.from(nodes, ({ name }) => {
    const unit = units.of.get(name) ?? 0;
    const number = numbers.get(unit) ?? numbers.size;
    numbers.set(unit, number);
    return number;
  });
  return { units: [...numbers.keys()], unitOf };
}

interface StepEdges {
  readonly first: Int32Array;
  readonly target: Int32Array;
  readonly tensor: Int32Array;
  readonly bytes: Float64Array;
  readonly unknown: number;
}

function edgesOfStep(
  { nodes: all, runConfig }: GraphDocument,
  nodes: readonly NodeDef[],
  estimates: ShapeEstimates,
  measured: Measurements,
): StepEdges {
  const numbers = new Map(nodes.map(({ name }, index) => [name, index]));
  const { outgoing } = wiringOf(all);
  const first = new Int32Array(nodes.length + 1);
  const target: number[] = [];
  const tensor: number[] = [];
  const bytes: number[] = [];
  let unknown = 0;
  for (const [index, node] of nodes.entries()) {
    const tensors = new Map<number, number>();
    for (const { to, output } of outgoing.get(node.name) ?? []) {
      const number = numbers.get(to);
      if (number === undefined) continue;
      let id = tensors.get(output);
      if (id === undefined) {
        id = bytes.length;
        tensors.set(output, id);
        const size = tensorSize(node, output, estimates, measured);
        if (!size.known && runConfig.feeds[tensorName(node.name, output)] === undefined) unknown++;
        bytes.push(size.bytes);
      }
      target.push(number);
      tensor.push(id);
    }
    first[index + 1] = target.length;
  }
  return {
    first,
    target: Int32Array.from(target),
    tensor: Int32Array.from(tensor),
    bytes: Float64Array.from(bytes),
    unknown,
  };
}

/** The size of an output: as it was sent, else by its shape, else as it was allocated. Control edges have none. */
export function tensorSize(
  node: NodeDef,
  output: number,
  estimates: ShapeEstimates,
  { tensors, nodes }: Measurements,
): { readonly bytes: number; readonly known: boolean } {
  if (output < 0) return { bytes: 0, known: true };
  const sent = tensors.get(tensorName(node.name, output));
  if (sent !== undefined) return { bytes: sent, known: true };
  const byShape = estimates.sizeOf(node, output);
  if (byShape.known) return byShape;
  const allocated = nodes.get(node.name)?.outputBytes ?? 0;
  return allocated > 0 ? { bytes: allocated, known: true } : byShape;
}

function costsOf(
  nodes: readonly NodeDef[],
  { nodes: all, runConfig }: GraphDocument,
  tasks: readonly PlacementTask[],
  estimates: ShapeEstimates,
  { nodes: measured, slowness }: Measurements,
): { readonly micros: Float64Array; readonly measured: number } {
  const micros = new Float64Array(nodes.length * tasks.length);
  const factors = tasks.map(({ engine }) => slowness.get(engine.name) ?? 1);
  let count = 0;
  for (const [index, node] of nodes.entries()) {
    const known = measured.get(node.name);
    if (known) count++;
    const isFed = runConfig.feeds[tensorName(node.name, 0)] !== undefined;
    const estimate = isFed ? 0 : estimates.micros(node, all);
    const normal = known ? known.micros / (slowness.get(known.task) ?? 1) : estimate;
    for (const [task, factor] of factors.entries()) {
      // Where it was measured, the time is that very time.
      const own = known?.task === tasks[task]?.engine.name ? known?.micros : undefined;
      micros[index * tasks.length + task] = own ?? normal * factor;
    }
  }
  return { micros, measured: count };
}

/** The task of a node: where it is pinned, else where a trace has seen it, else where the master will probably put it. */
export function taskNow(node: NodeDef, places: NodePlaces, { nodes }: Pick<Measurements, "nodes">): string {
  const { task, isPinned } = places.of(node);
  return isPinned ? task.name : (nodes.get(node.name)?.task ?? task.name);
}

/** Where each unit is now: where it is pinned, else where a trace has seen it, else where the master will probably put it. */
function placesNow(members: readonly (readonly string[])[], input: DocumentStepInput): Assignment {
  const { document, lookup, engines, tasks, measured } = input;
  const places = new NodePlaces(document.nodes, lookup, engines);
  const numbers = new Map(tasks.map(({ engine }, index) => [engine.name, index]));
  return Int32Array.from(members, (names) => {
    const nodes = names.flatMap((name) => document.nodes.get(name) ?? []);
    const byPin = tasksByPins(nodes, { lookup, tasks, keepPins: true });
    const seen = nodes.map(({ name }) => measured.nodes.get(name)?.task).find((task) => task !== undefined);
    const [first] = nodes;
    const likely = [seen, first && places.of(first).task.name].map((task) => numbers.get(task ?? ""));
    return likely.find((task) => task !== undefined && byPin[task] === true) ?? byPin.indexOf(true);
  });
}

/** The numbers of the nodes in an order in which every producer comes first, except around a loop. */
function producersFirst(nodes: readonly NodeDef[], { first, target }: StepEdges): Int32Array {
  const waiting = new Int32Array(nodes.length);
  const closesLoop = (from: number, to: number) =>
    roleOf(nodes[from]?.op ?? "") === "next-iteration" && roleOf(nodes[to]?.op ?? "") === "merge";
  for (const from of nodes.keys()) {
    for (let edge = first[from] ?? 0; edge < (first[from + 1] ?? 0); edge++) {
      const to = target[edge] ?? 0;
      if (!closesLoop(from, to)) waiting[to] = (waiting[to] ?? 0) + 1;
    }
  }
  const order: number[] = [];
  for (const node of nodes.keys()) if (waiting[node] === 0) order.push(node);
  for (const node of order) {
    for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge++) {
      const to = target[edge] ?? 0;
      if (closesLoop(node, to)) continue;
      const left = (waiting[to] ?? 0) - 1;
      waiting[to] = left;
      if (left === 0) order.push(to);
    }
  }
  // A circle that is no loop cannot run; its nodes come last, so that the rest can be placed.
  if (order.length < nodes.length) {
    const seen = new Set(order);
    for (const node of nodes.keys()) if (!seen.has(node)) order.push(node);
  }
  return Int32Array.from(order);
}
