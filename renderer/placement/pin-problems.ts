/** What is wrong with where a graph is to run, found before it runs. Pure. */
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { ASKING } from "../document/asking-ops.js";
import type { GraphDocument } from "../document/model.js";
import type { ShapeMap } from "../document/shapes.js";
import type { OpLookup } from "../document/signature.js";
import { NodePlaces } from "../kernels/node-places.js";
import type { ClusterEngines } from "../kernels/task-engines.js";
import { texts } from "../texts/texts.js";
import { bytesText, listText } from "../ui/format.js";
import { ShapeEstimates } from "./estimates.js";
import { bondsOfNode } from "./units.js";

const words = texts.placement.pinProblems;

/** Nodes that a message names before it only counts. */
const MOST_NAMED = 3;

/** A problem of several nodes, which the user can select or unpin. */
export interface PinProblem {
  /** "ps/1", "gpu-pc": what it concerns. */
  readonly where: string;
  readonly nodes: readonly string[];
  readonly problem: Problem;
}

/** A machine with its tasks. */
export interface MachineRoom {
  readonly name: string;
  readonly memoryBytes: number;
  /** "worker/0" */
  readonly tasks: readonly string[];
}

export interface PinProblemsInput {
  readonly document: Pick<GraphDocument, "nodes">;
  readonly lookup: OpLookup;
  readonly shapes: ShapeMap;
  readonly engines: ClusterEngines;
  readonly machines: readonly MachineRoom[];
}

export function findPinProblems(input: PinProblemsInput): readonly PinProblem[] {
  return atOnce(slicedPinProblems(input));
}

/** As `findPinProblems`, in slices. */
export function* slicedPinProblems(input: PinProblemsInput): Sliced<readonly PinProblem[]> {
  const ofDevices = deviceProblems(input);
  yield;
  const ofColocation = yield* colocationProblems(input);
  yield;
  return [...ofDevices, ...ofColocation, ...(yield* memoryProblems(input))];
}

/** Devices that are no names, that name no task of the cluster, or a GPU that the task lacks. */
function deviceProblems({ document, engines }: PinProblemsInput): PinProblem[] {
  return [...byDevice(document.nodes.values())].flatMap(([device, nodes]): PinProblem[] => {
    const parts = tryParseDeviceName(device);
    const count = nodes.length;
    if (parts === undefined) {
      return [
        {
          where: device,
          nodes,
          problem: {
            code: "INVALID_ARGUMENT",
            message: words.noDeviceName.message({ count, device }),
            remedy: words.noDeviceName.remedy({ count }),
          },
        },
      ];
    }
    const tasks = engines.tasks.filter(
      ({ job, index }) => (parts.job ?? job) === job && (parts.task ?? index) === index,
    );
    if (tasks.length === 0) {
      const task =
        parts.job === undefined
          ? device
          : parts.task === undefined
            ? parts.job
            : `${parts.job}/${parts.task}`;
      return [
        {
          where: task,
          nodes,
          problem: {
            code: "NOT_FOUND",
            message: words.noTask.message({ count, task }),
            remedy: words.noTask.remedy({ count }),
          },
        },
      ];
    }
    const type = parts.type?.toUpperCase();
    if (type === undefined || tasks.some(({ deviceTypes }) => deviceTypes.includes(type))) return [];
    return [
      {
        where: device,
        nodes,
        problem: {
          code: "FAILED_PRECONDITION",
          message: words.noDevice.message({
            count,
            device,
            tasks: listText(tasks.map(({ name }) => name)),
            taskCount: tasks.length,
            type,
          }),
          reason: words.noDevice.reason,
          remedy: words.noDevice.remedy({ count, type }),
        },
      },
    ];
  });
}

/** Nodes that are pinned to one device, but must be with others on another one. */
interface Apart {
  readonly device: string;
  readonly keeperDevice: string;
  readonly keepers: Set<string>;
  readonly nodes: string[];
}

function byDevice(nodes: Iterable<NodeDef>): ReadonlyMap<string, string[]> {
  const devices = new Map<string, string[]>();
  for (const { name, device } of nodes) {
    if (device === "") continue;
    const list = devices.get(device);
    if (list) list.push(name);
    else devices.set(device, [name]);
  }
  return devices;
}

/**
 * Nodes that are pinned elsewhere than what they must be with. The variable decides, or whoever is named in `_class`. One
 * problem for all that are pinned to one device and must be on one other.
 */
function* colocationProblems({ document: { nodes }, lookup }: PinProblemsInput): Sliced<PinProblem[]> {
  const found = new Map<string, Apart>();
  yield* paused(nodes.values(), (node) => {
    if (ASKING.has(node.op)) return;
    for (const [name, other] of bondsOfNode(node, nodes, lookup)) {
      const keeper = nodes.get(other);
      if (!keeper || !areApart(node.device, keeper.device)) continue;
      const key = `${node.device} ${keeper.device}`;
      const apart = found.get(key) ?? {
        ...{ device: node.device, keeperDevice: keeper.device },
        ...{ keepers: new Set(), nodes: [] },
      };
      found.set(key, apart);
      apart.keepers.add(other);
      apart.nodes.push(name);
      // It is told once.
      return;
    }
  });
  return [...found.values()].map(({ device, keeperDevice, keepers, nodes: names }) => {
    const [node = ""] = names;
    const count = names.length;
    const named = [...keepers].slice(0, MOST_NAMED);
    const more = keepers.size - named.length;
    const keeper =
      more === 0 ? listText(named) : words.apart.andMore({ names: named.join(", "), count: more });
    const apart = { device, keeper, keeperDevice };
    return {
      where: keepers.size === 1 ? keeper : keeperDevice,
      nodes: names,
      problem: {
        code: "FAILED_PRECONDITION",
        message:
          count === 1
            ? words.apart.message({ ...apart, node })
            : words.apart.messageOfMany({ ...apart, count }),
        reason: words.apart.reason,
        remedy: words.apart.remedy({ count, keeper }),
      },
    };
  });
}

/** Whether two devices are of different tasks, as far as they name any. */
function areApart(one: string, other: string): boolean {
  const [a, b] = [tryParseDeviceName(one), tryParseDeviceName(other)];
  if (!a || !b) return false;
  const differ = <T>(left: T | undefined, right: T | undefined) =>
    left !== undefined && right !== undefined && left !== right;
  return differ(a.job, b.job) || differ(a.task, b.task);
}

/** Machines whose tasks would hold more variables and constants than they have memory. */
function* memoryProblems({
  document,
  lookup,
  shapes,
  engines,
  machines,
}: PinProblemsInput): Sliced<PinProblem[]> {
  const estimates = new ShapeEstimates(lookup, shapes);
  const places = new NodePlaces(document.nodes, lookup, engines);
  const byTask = new Map<string, { bytes: number; nodes: string[] }>();
  yield* paused(document.nodes.values(), (node) => {
    const bytes = estimates.residentBytes(node);
    if (bytes === 0) return;
    const task = places.of(node).task.name;
    const known = byTask.get(task) ?? { bytes: 0, nodes: [] };
    byTask.set(task, known);
    known.bytes += bytes;
    known.nodes.push(node.name);
  });
  return machines.flatMap(({ name, memoryBytes, tasks }): PinProblem[] => {
    const held = tasks.flatMap((task) => byTask.get(task) ?? []);
    const bytes = held.reduce((sum, one) => sum + one.bytes, 0);
    if (memoryBytes === 0 || bytes <= memoryBytes) return [];
    return [
      {
        where: name,
        nodes: held.flatMap(({ nodes }) => nodes),
        problem: {
          code: "RESOURCE_EXHAUSTED",
          message: words.memory.message({
            bytes: bytesText(bytes),
            machine: name,
            memory: bytesText(memoryBytes),
          }),
          remedy: words.memory.remedy,
        },
      },
    ];
  });
}
