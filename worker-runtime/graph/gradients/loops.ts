/**
 * Loops of the ops Enter, Merge, Switch, NextIteration and Exit, as tf.while_loop makes them in graphs of TensorFlow 1:
 * their bodies as graphs, and what keeps the intermediate results of their iterations.
 */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { invalidArgument } from "../../protocol/status.js";
import { COLOCATION_ATTR } from "../colocation-groups.js";
import { formatEdge, parseEdge } from "../edge.js";
import { type BodyGraph, graphOf, setShape } from "../functions/body-graph.js";
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { enter, exit, nextIteration } from "../ops/control-flow.js";
import type { Shape } from "../shape.js";
import { addedForward, addForward } from "./forward-nodes.js";
import { integers } from "./gradient.js";
import { type LoopFrames, sourceOf } from "./loop-frames.js";
import { leadsBack } from "./paths.js";
import { emptyList, type Loop, stableBody } from "./while-gradient.js";

/** A variable of a loop, or a tensor that enters it once for all iterations. */
interface Entered {
  readonly enter: Operation;
  /** The values in an iteration: tensors that stand for the same one. */
  readonly inside: readonly Output[];
  /** The next value; undefined of what enters once. */
  readonly next?: Output | undefined;
  /** The tensor that leaves the loop after the last iteration; undefined if nothing reads it. */
  readonly left?: Output | undefined;
  /** The value that Exit takes. */
  readonly last?: Output | undefined;
}

/** A loop, with all that is in it, as one step of the graph or loop that it is in. */
export class LoopNodes {
  /** The tensors that enter the loop. */
  readonly inputs: readonly Output[];
  /** The tensors that leave the loop, by variable. */
  readonly outputs: readonly (Output | undefined)[];

  constructor(
    readonly name: string,
    readonly entered: readonly Entered[],
    /** Whether the loop goes on. */
    readonly condition: Output,
  ) {
    this.inputs = entered.map(({ enter: op }) => sourceOf(op));
    this.outputs = entered.map(({ left }) => left);
  }
}

/** The outermost loops with one of these operations in it, by all of their operations and exits. */
export function loopsAmong(
  graph: Graph,
  among: ReadonlySet<Operation>,
  frames: LoopFrames,
): ReadonlyMap<Operation, LoopNodes> {
  const found = new Map<Operation, LoopNodes>();
  const members = new Map<string, Operation[]>();
  for (const op of graph.operations) {
    const frame = frames.below(op);
    if (frame === undefined) continue;
    const known = members.get(frame);
    if (known) known.push(op);
    else members.set(frame, [op]);
  }
  for (const [frame, ops] of members) {
    if (!ops.some((op) => among.has(op))) continue;
    const loop = loopNodes(frame, ops, frames);
    for (const op of ops) found.set(op, loop);
  }
  return found;
}

function loopNodes(frame: string, ops: readonly Operation[], frames: LoopFrames): LoopNodes {
  const own = ops.filter((op) => frames.of(op).length === frames.current.length + 1);
  const readers = new Map<Output, Operation[]>();
  for (const op of ops)
    for (const input of op.inputs) readers.set(input, [...(readers.get(input) ?? []), op]);
  const condition = own.find(({ type }) => type === "LoopCond")?.output;
  if (!condition) throw invalidArgument(`The loop "${frame}" has no condition.`);
  const entered = own
    .filter(({ type }) => type === "Enter")
    .map((op): Entered => {
      const merge = readers.get(op.output)?.find((reader) => reader.inputs.some((x) => leadsBack(x, reader)));
      if (!merge) return { enter: op, inside: [op.output] };
      const next = merge.inputs.find((input) => leadsBack(input, merge));
      const choice = readers.get(merge.output)?.find((reader) => reader.inputs[1] === condition);
      if (!choice) return { enter: op, inside: [merge.output], next: next && sourceOf(next.op) };
      const [last, goesOn] = [choice.outputAt(0), choice.outputAt(1)];
      return {
        ...{ enter: op, inside: [goesOn, merge.output], next: next && sourceOf(next.op), last },
        left: readers.get(last)?.find(({ type }) => type === "Exit")?.output,
      };
    });
  return new LoopNodes(frame, entered, condition);
}

/** The body of a loop as a graph, in which nodes have the names that they have in the loop. */
function bodyOf(graph: Graph, { entered }: LoopNodes, shapes: readonly (Shape | undefined)[]): BodyGraph {
  const args = new Map(entered.flatMap(({ enter: op, inside }) => inside.map((tensor) => [tensor, op.name])));
  const edges = new Set(entered.flatMap(({ enter: op, inside }) => [op, ...inside.map((one) => one.op)]));
  const nodes = new Set<Operation>();
  const open = entered.flatMap(({ next }) => next?.op ?? []);
  for (let op = open.pop(); op; op = open.pop()) {
    if (edges.has(op) || nodes.has(op)) continue;
    nodes.add(op);
    // A node's control inputs tell in which branch it is.
    open.push(...op.inputs.map((input) => input.op), ...op.controlInputs);
  }
  const names = new Set([...nodes].map((op) => op.name));
  const named = (tensor: Output) =>
    args.get(tensor) ?? formatEdge({ control: false, node: tensor.op.name, output: tensor.index });
  const copies = [...nodes].map((op): NodeDef => {
    const node = op.toNodeDef();
    const controls = node.input.map(parseEdge).filter((edge) => edge.control && names.has(edge.node));
    node.attr.delete(COLOCATION_ATTR);
    return { ...node, input: [...op.inputs.map(named), ...controls.map(formatEdge)] };
  });
  const inner = graphOf(graph, [...entered.map(({ enter: op }, i) => argument(op, i, shapes[i])), ...copies]);
  const inputs = entered.map(({ enter: op }) => inner.operation(op.name).output);
  return {
    graph: inner,
    inputs,
    outputs: entered.flatMap(({ next }, i) => (next ? inner.tensor(named(next)) : (inputs[i] ?? []))),
    controls: [],
  };
}

function argument({ name, output }: Operation, index: number, shape: Shape | undefined): NodeDef {
  const node: NodeDef = {
    ...{
      name,
      op: "_Arg",
      input: [],
      device: "",
      experimentalDebugInfo: undefined,
      experimentalType: undefined,
    },
    attr: new Map([
      ["T", { value: { $case: "type", value: output.dataType ?? 0 } }],
      ["index", { value: { $case: "i", value: BigInt(index) } }],
    ]),
  };
  setShape(node, shape);
  return node;
}

/**
 * A loop with its body, ready for its gradient.
 * @param stopGradients tensors of the graph that count as constants, of which some may be in the loop
 */
export function loopOf(graph: Graph, nodes: LoopNodes, stopGradients: readonly Output[]): Loop {
  const shapes = nodes.inputs.map(({ shape }) => shape);
  const body = stableBody(shapes, (known) => bodyOf(graph, nodes, known));
  const copies = body.graph.operations.filter(({ type }) => type !== "_Arg");
  const [first] = nodes.entered;
  if (!first) throw invalidArgument(`The loop "${nodes.name}" has no variables.`);
  return {
    name: nodes.name.replace(/[^A-Za-z0-9_]/g, "_"),
    body,
    initial: nodes.inputs,
    final: (index) => finalOf(graph, nodes, index),
    stops: copies.flatMap((copy) =>
      stopGradients.filter(({ op }) => op.name === copy.name).map(({ index }) => copy.outputAt(index)),
    ),
    shape: (index) => body.inputs[index]?.shape,
    keep: (tensors) => new LoopExtension(graph, nodes, body, copies).keep(tensors),
    attrs: {
      ...(first.enter.attrs.has("parallel_iterations")
        ? { parallel_iterations: first.enter.attrs.get("parallel_iterations") }
        : {}),
      _lower_using_switch_merge: { value: { $case: "b", value: true } },
    },
  };
}

function finalOf(graph: Graph, { entered }: LoopNodes, index: number): Output {
  const variable = entered[index];
  if (!variable) throw invalidArgument(`The loop has no variable ${index}.`);
  const { left, last, enter: op } = variable;
  return left ?? (last ? addForward(graph, () => exit(last)) : sourceOf(op));
}

/** Adds variables to a loop. */
class LoopExtension {
  /** The tensors of the loop that those of its body stand for, as far as their names do not say it. */
  readonly #real = new Map<Output, Output>();
  readonly #added: ReadonlySet<Operation>;

  constructor(
    readonly graph: Graph,
    readonly nodes: LoopNodes,
    readonly body: BodyGraph,
    /** The operations of the body that are copies of the loop's. */
    readonly copies: readonly Operation[],
  ) {
    this.#added = new Set(addedForward(body.graph));
    for (const [i, { inside }] of nodes.entered.entries()) {
      const [input, [value]] = [body.inputs[i], inside];
      if (input && value) this.#real.set(input, value);
    }
  }

  keep(tensors: readonly Output[]): { readonly count: Output; readonly lists: readonly Output[] } {
    const { graph, nodes } = this;
    return addForward(graph, () => {
      const inLoop = nodes.entered.find(({ last }) => last)?.inside[0];
      if (!inLoop) throw invalidArgument(`The loop "${nodes.name}" has no variable that changes.`);
      const pivot = graph.withDevice(inLoop.op.device, () => graph.op("Identity", [inLoop]));
      this.#copyAdded(pivot);
      const start = this.#afterStart(() => graph.op("Identity", [integers(graph, 0)]).output);
      const count = this.#variable(pivot, start, (value) => graph.op("AddV2", [value, 1]).output);
      const lists = tensors.map((tensor) => {
        const value = this.#realOf(tensor);
        return graph.withDevice(value.op.device, () =>
          this.#variable(
            pivot,
            this.#afterStart(() => emptyList(graph, tensor)),
            (list) => graph.op("TensorListPushBack", [list, value], { element_dtype: tensor.dtype }).output,
          ),
        );
      });
      return { count, lists };
    });
  }

  /** A tensor that exists only if the loop is entered, which in a branch that is not taken it is not. */
  #afterStart(make: () => Output): Output {
    const [first] = this.nodes.inputs;
    return this.graph.withControlDependencies(first ? [first] : [], make);
  }

  #variable(pivot: Operation, initial: Output, next: (value: Output) => Output): Output {
    const { graph, nodes } = this;
    const entered = enter(initial, { frameName: nodes.name, ...this.#parallel() });
    const merged = graph.op("Merge", [[entered, entered]]);
    const choice = graph.op("Switch", [merged, nodes.condition]);
    const following = graph.withControlDependencies([pivot], () => next(choice.outputAt(1)));
    graph.updateInput(merged, 1, nextIteration(following));
    return exit(choice.outputAt(0));
  }

  #parallel(): { readonly parallelIterations?: number } {
    const value = this.nodes.entered[0]?.enter.attrs.get("parallel_iterations")?.value;
    return value?.$case === "i" ? { parallelIterations: Number(value.value) } : {};
  }

  /** Adds to the loop what gradients of inner loops and calls added to its body. */
  #copyAdded(pivot: Operation): void {
    const { graph } = this;
    const open: (() => void)[] = [];
    for (const op of this.#added) {
      const controls = op.controlInputs.map((control) => this.#realOperation(control));
      const behind = controls.length === 0 && op.inputs.length === 0 ? [pivot] : controls;
      const inputs = op.inputs.map((input) =>
        leadsBack(input, op) ? this.#realOf(op.inputs[0] ?? input) : this.#realOf(input),
      );
      const made = graph.withControlDependencies(behind, () =>
        graph.withDevice(op.device, () =>
          graph.addNode({ type: op.type, name: op.name, inputs, attrs: op.attrs }),
        ),
      );
      for (const [i, output] of op.outputs.entries()) this.#real.set(output, made.outputAt(i));
      for (const [i, input] of op.inputs.entries()) {
        if (leadsBack(input, op)) open.push(() => graph.updateInput(made, i, this.#realOf(input)));
      }
    }
    for (const close of open) close();
    for (const copy of this.copies) this.#follow(copy);
  }

  #realOperation(op: Operation): Operation {
    const [output] = op.outputs;
    return (output && this.#real.get(output)?.op) ?? this.graph.operation(op.name);
  }

  #realOf(tensor: Output): Output {
    const known = this.#real.get(tensor);
    if (known) return known;
    const op = this.graph.operation(tensor.op.name);
    if (!op.outputs[tensor.index]) this.#follow(tensor.op);
    return op.outputAt(tensor.index);
  }

  /** Gives a call of the loop what its copy in the body got. */
  #follow(copy: Operation): void {
    const op = this.graph.operation(copy.name);
    if (op.outputs.length === copy.outputs.length) return;
    const inputs = copy.inputs.map((input) => this.#realOf(input));
    this.graph.extendOperation(op, { type: copy.type, attrs: copy.attrs, inputs });
  }
}
