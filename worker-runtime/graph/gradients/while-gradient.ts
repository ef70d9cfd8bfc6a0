/**
 * The gradient of a loop is a loop that runs as often: the loop keeps the intermediate results of its iterations in lists
 * of tensors, from which its gradient takes them from the last to the first. Facts from
 * tensorflow/python/ops/while_v2.py.
 */
import { unimplemented } from "../../protocol/status.js";
import { addFunction, type BodyGraph, hasEffects, shapesAttr } from "../functions/body-graph.js";
import type { Graph } from "../graph.js";
import { type Operation, Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { sameKnownShape } from "./broadcasting.js";
import { branchesOf, type Side } from "./cond-branches.js";
import { addForward, cutBackward } from "./forward-nodes.js";
import { standIn } from "./functions.js";
import { type Differentiate, denseGradient, integers } from "./gradient.js";
import { carriesGradient, dependencies } from "./paths.js";
import { unusedValue, zerosOfVariable } from "./zeros.js";

/** A loop, whichever ops it is made of. */
export interface Loop {
  readonly name: string;
  /** Its body: for each loop variable an input and its next value, which is the input itself if it never changes. */
  readonly body: BodyGraph;
  /** The initial values of variables. */
  readonly initial: readonly Output[];
  /** The part of a variable that is left after the last iteration. */
  final(index: number): Output;
  /** Tensors of the body that count as constants. */
  readonly stops?: readonly Output[];
  /** The known part of a variable's shape in all iterations: attributes of the op While want it. */
  shape(index: number): Output["shape"];
  /**
   * Makes the loop count its iterations and keep these tensors of its body.
   * @returns the count, and for each tensor a list with its values
   */
  keep(tensors: readonly Output[]): { readonly count: Output; readonly lists: readonly Output[] };
  /** Attributes of the backward loop. */
  readonly attrs: NonNullable<Parameters<Graph["op"]>[2]>;
}

/** A body that is made with the shapes that its variables have in every iteration, as far as these are alike. */
export function stableBody(
  initial: readonly (Shape | undefined)[],
  build: (shapes: readonly (Shape | undefined)[]) => BodyGraph,
): BodyGraph {
  const body = build(initial);
  const stable = initial.map((shape, i) => {
    const output = body.outputs[i];
    return output === body.inputs[i] ? shape : commonShape(shape, output?.shape);
  });
  return stable.every((shape, i) => isSame(shape, initial[i])) ? body : stableBody(stable, build);
}

/** The common part of two shapes; undefined if they differ in rank. */
function commonShape(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  if (a === undefined || b === undefined || a.length !== b.length) return undefined;
  return a.map((size, i) => (size === b[i] ? size : -1));
}

const isSame = (a: Shape | undefined, b: Shape | undefined): boolean => a?.join() === b?.join();

/** An empty list for such tensors of any shape. */
export function emptyList(graph: Graph, { dtype }: Output): Output {
  return graph.op("EmptyTensorList", [-1, -1], { element_dtype: dtype, shape_type: "int32" }).output;
}

/** Gives each variable that counts on the way from the wanted variables to those whose gradients are given. */
function activeVariables(
  { body }: Loop,
  given: readonly (Output | undefined)[],
  wants: (index: number) => boolean,
): readonly number[] {
  const reads = body.outputs.map((output) => {
    const found = dependencies(output);
    return body.inputs.map((input) => found.has(input));
  });
  const all = [...body.inputs.keys()];
  const varied = closure(all.filter(wants), (from, to) => reads[to]?.[from] === true, all);
  const useful = closure(
    all.filter((i) => given[i] !== undefined),
    (from, to) => reads[from]?.[to] === true,
    all,
  );
  return all.filter((i) => {
    const input = body.inputs[i];
    return input !== undefined && varied.has(i) && useful.has(i) && carriesGradient(input);
  });
}

function closure(
  start: readonly number[],
  leads: (from: number, to: number) => boolean,
  all: readonly number[],
): ReadonlySet<number> {
  const found = new Set(start);
  for (const from of found) for (const to of all) if (leads(from, to)) found.add(to);
  return found;
}

/** A loop variable on the way back. */
interface Carried {
  readonly index: number;
  /** Its gradient so far, in the body. */
  readonly before: Output;
  /** The same one iteration earlier. */
  readonly after: Output;
}

/** Makes the gradients of a loop's variables in its body. */
function differentiated(
  loop: Loop,
  within: Differentiate,
  given: readonly (Output | undefined)[],
  active: readonly number[],
): readonly Carried[] {
  const { graph, inputs, outputs } = loop.body;
  const plain = active.flatMap((index) => {
    const [input, output] = [inputs[index], outputs[index]];
    if (!input || !output || input.dtype === "resource") return [];
    return [{ index, input, output, before: standIn(graph, given[index] ?? output) }];
  });
  const handles = active.filter((index) => inputs[index]?.dtype === "resource");
  const found = within(
    graph,
    plain.map(({ output }) => output),
    [...plain.map(({ input }) => input), ...handles.flatMap((index) => inputs[index] ?? [])],
    plain.map(({ before }) => before),
    loop.stops,
  );
  const carried = plain.map(({ index, input, before }, i): Carried => {
    const gradient = found[i];
    const zeros = sameKnownShape(input.shape, before.shape) ? before : input;
    const after = gradient ? denseGradient(gradient) : graph.op("ZerosLike", [zeros]).output;
    return { index, before, after };
  });
  // The gradient of a variable behind a handle is the sum of those of all iterations.
  const ofHandles = handles.flatMap((index, i): Carried[] => {
    const gradient = found[plain.length + i];
    if (!gradient) return [];
    if (outputs[index] !== inputs[index]) {
      throw unimplemented(`The loop "${loop.name}" changes which variable it reads; that has no gradient.`);
    }
    const own = denseGradient(gradient);
    const before = standIn(graph, own);
    return [{ index, before, after: graph.op("AddV2", [before, own]).output }];
  });
  return [...carried, ...ofHandles].sort((a, b) => a.index - b.index);
}

/** The gradient of a variable after the last iteration. */
function lastGradient(
  graph: Graph,
  loop: Loop,
  { index, before }: Carried,
  given: Output | undefined,
): Output {
  const initial = loop.initial[index];
  if (given) return given;
  if (initial?.dtype === "resource") return zerosOfVariable(graph, initial, before.dtype);
  return graph.op("ZerosLike", [loop.final(index)]).output;
}

/** The tensors of iterations that a backward iteration reads, and how it gets them. */
class Kept {
  readonly graph: Graph;
  readonly #branches: (tensor: Output) => readonly Side[];
  readonly #pops = new Map<Output, { list: Output; value: Output; rest: Output }>();
  readonly #lists: { kept: Output; list: Output; rest: Output }[] = [];
  /** Tensors that are the same in all iterations. */
  readonly unchanging = new Set<Output>();
  /** Tensors that stand for those of the forward iteration. */
  readonly instead = new Map<Output, Output>();
  readonly nodes: Operation[] = [];

  constructor(readonly body: BodyGraph) {
    this.graph = body.graph;
    this.#branches = branchesOf(body.graph);
  }

  get lists(): readonly { readonly kept: Output; readonly list: Output; readonly rest: Output }[] {
    return this.#lists;
  }

  /** Takes a tensor from its list. What is in a branch is taken only where the branch was taken. */
  take(tensor: Output): Output {
    if (isInvariant(this.body, tensor)) this.unchanging.add(tensor);
    if (tensor.op.type === "Const") this.nodes.push(tensor.op);
    if (this.unchanging.has(tensor) || tensor.op.type === "Const") return tensor;
    const known = this.#pops.get(tensor);
    if (known) return known.value;
    if (tensor.dtype === "resource") {
      throw unimplemented(
        `The gradient of a loop needs the resource ${tensor.name} of each iteration, but lists of tensors cannot keep it.`,
      );
    }
    const branches = this.#branches(tensor);
    const kept = this.#alive(tensor, branches);
    const list = this.#add("Placeholder", [], { dtype: "variant", shape: [] }).output;
    const shape = tensor.shape && branches.length === 0 ? integers(this.graph, tensor.shape) : -1;
    if (shape instanceof Output) this.nodes.push(shape.op);
    const pop = this.#add("TensorListPopBack", [list, shape], { element_dtype: tensor.dtype });
    let value = pop.outputAt(1);
    for (const { predicate, side } of branches) {
      value = this.#add("Switch", [value, this.take(predicate)]).outputAt(side);
    }
    this.#pops.set(tensor, { list, value, rest: pop.outputAt(0) });
    this.#lists.push({ kept, list, rest: pop.outputAt(0) });
    this.instead.set(tensor, value);
    return value;
  }

  /** The tensor, or anything where the branch that it is in is not taken: lists take no dead tensors. */
  #alive(tensor: Output, branches: readonly Side[]): Output {
    const { graph } = this;
    if (branches.length === 0) return tensor;
    return addForward(graph, () =>
      [...branches].reverse().reduce((value, { predicate, side }) => {
        const filler = unusedValue(graph, tensor.dtype);
        const other = graph.op("Switch", [filler, predicate]).outputAt(1 - side);
        return graph.op("Merge", [[value, other]]).output;
      }, tensor),
    );
  }

  #add(...parts: Parameters<Graph["op"]>): Operation {
    const before = this.graph.size;
    const op = this.graph.op(...parts);
    this.nodes.push(...this.graph.operations.slice(before));
    return op;
  }
}

/**
 * Adds the backward loop of a loop.
 * @param given the gradients of the final values; undefined where nothing depends on one
 * @returns the gradients of the initial values
 */
export function loopGradient(
  graph: Graph,
  loop: Loop,
  within: Differentiate,
  given: readonly (Output | undefined)[],
  wants: (index: number) => boolean,
): readonly (Output | undefined)[] {
  const { body } = loop;
  const forward = new Set(body.graph.operations);
  const active = activeVariables(loop, given, wants);
  const carried = differentiated(loop, within, given, active);
  if (carried.length === 0) return [];
  const results = carried.map(({ after }) => after);
  const befores = carried.map(({ before }) => before);
  const cut = cutBackward(body.graph, forward, results, befores);
  const kept = new Kept(body);
  for (const tensor of cut.crossing) kept.take(tensor);
  const unchanging = [...kept.unchanging];
  const { count, lists } = loop.keep(kept.lists.map((one) => one.kept));

  const left = body.graph.op("Placeholder", [], { dtype: "int32", shape: [] }, "left").output;
  const counted = madeIn(body.graph, () => body.graph.op("Sub", [left, 1]));
  const args = [left, ...befores, ...kept.lists.map(({ list }) => list), ...unchanging];
  const bodyName = addFunction(graph, {
    name: `${loop.name}_backward_body`,
    args,
    nodes: [...kept.nodes, ...cut.nodes, ...counted.nodes],
    results: [counted.made.output, ...results, ...kept.lists.map(({ rest }) => rest), ...unchanging],
    instead: kept.instead,
  });
  const goesOn = madeIn(body.graph, () => body.graph.op("Greater", [left, 0]));
  const condName = addFunction(graph, {
    name: `${loop.name}_backward_cond`,
    args,
    nodes: goesOn.nodes,
    results: [goesOn.made.output],
  });
  const inputs = [
    count,
    ...carried.map((one) => lastGradient(graph, loop, one, given[one.index])),
    ...lists,
    ...unchanging.map((tensor) => loop.initial[body.inputs.indexOf(tensor)] ?? tensor),
  ];
  const shapes = [
    [],
    ...carried.map(({ index, before }) =>
      loop.initial[index]?.dtype === "resource" ? before.shape : loop.shape(index),
    ),
    ...lists.map(() => []),
    ...unchanging.map(({ shape }) => shape),
  ];
  const made = graph.op(hasEffects(body.graph, cut.nodes) ? "While" : "StatelessWhile", [inputs], {
    cond: condName,
    body: bodyName,
    output_shapes: shapesAttr(shapes),
    ...loop.attrs,
  });
  const gradients: (Output | undefined)[] = body.inputs.map(() => undefined);
  for (const [i, { index }] of carried.entries()) gradients[index] = made.outputAt(i + 1);
  return gradients;
}

function isInvariant(body: BodyGraph, tensor: Output): boolean {
  const index = body.inputs.indexOf(tensor);
  return index >= 0 && body.outputs[index] === tensor;
}

function madeIn(
  graph: Graph,
  make: () => Operation,
): { readonly made: Operation; readonly nodes: readonly Operation[] } {
  const before = graph.size;
  const made = make();
  return { made, nodes: graph.operations.slice(before) };
}
