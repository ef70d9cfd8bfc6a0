/**
 * Which loop of the ops Enter and Exit each node of a graph is in: it follows from the edges, as in
 * tensorflow/core/graph/control_flow.cc. Inside such a loop, gradients can be taken within one iteration: their nodes
 * become part of the loop. From outside, a loop is one step with the tensors that enter it and those that leave it.
 */
import { invalidArgument } from "../../protocol/status.js";
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { enter } from "../ops/control-flow.js";
import { tryDecodeUtf8 } from "../text-format/escapes.js";
import { inOrder, leadsBack } from "./paths.js";

/** The names of the loops that a node is in, the outermost first. */
type Frames = readonly string[];

const OUTSIDE: Frames = [];

/** The loops of a graph, as seen from the one in which new nodes are made. */
export class LoopFrames {
  /** The loops that new nodes are in: those of the operations that they run after. */
  readonly current: Frames;
  readonly #graph: Graph;
  readonly #frames: ReadonlyMap<Operation, Frames>;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#frames = framesOf(graph);
    this.current = deepest(graph.controlInputs, this.#frames);
  }

  /** The loops that an operation's outputs are in. */
  of(op: Operation): Frames {
    return this.#frames.get(op) ?? OUTSIDE;
  }

  /** The loop of the current one, or of the graph, that an operation is a part of; its exits are, too. */
  below(op: Operation): string | undefined {
    const frames = this.#around(op);
    return beginsWith(frames, this.current) ? frames[this.current.length] : undefined;
  }

  /** Whether the current loop, or one around it, has a tensor. */
  isVisible({ op }: Output): boolean {
    return beginsWith(this.current, this.of(op));
  }

  /** Whether an operation is in a loop that is neither around the current one nor in it. */
  isElsewhere(op: Operation): boolean {
    const frames = this.#around(op);
    if (op.type === "Exit") return frames.length <= this.current.length || !beginsWith(frames, this.current);
    return !beginsWith(frames, this.current) && !beginsWith(this.current, frames);
  }

  /** Whether an edge leads to the next iteration of the current loop, or of one around it. */
  leavesIteration(input: Output, reader: Operation): boolean {
    return leadsBack(input, reader) && beginsWith(this.current, this.of(reader));
  }

  /** The innermost loop around a tensor. */
  nameOf({ op }: Output): string {
    return this.of(op).at(-1) ?? "";
  }

  /** Runs `body`, whose nodes may read tensors from outside the current loop: they enter it. */
  withEntered<T>(body: () => T): T {
    if (this.current.length === 0) return body();
    const entered = new Map<Output, Output>();
    const capture = (input: Output): Output => {
      const outer = this.#frames.get(input.op)?.length ?? this.current.length;
      if (outer >= this.current.length) return input;
      const known = entered.get(input);
      if (known) return known;
      const inside = this.#graph.withControlDependencies(undefined, () =>
        this.current.slice(outer).reduce((tensor, frame) => this.#enter(tensor, frame), input),
      );
      entered.set(input, inside);
      return inside;
    };
    return this.#graph.withCapture(capture, body);
  }

  #enter(tensor: Output, frameName: string): Output {
    const some = this.#graph.operations.find((op) => op.type === "Enter" && this.of(op).at(-1) === frameName);
    const value = some?.attrs.get("parallel_iterations")?.value;
    const parallelIterations = value?.$case === "i" ? Number(value.value) : undefined;
    return enter(tensor, { frameName, isConstant: true, parallelIterations });
  }

  /** The loops that an operation is a part of: an Exit is one of the loop that it leaves. */
  #around(op: Operation): Frames {
    return this.of(op.type === "Exit" ? sourceOf(op).op : op);
  }
}

/** The tensor that an operation passes on. */
export function sourceOf({ inputs: [source], name }: Operation): Output {
  if (source) return source;
  throw invalidArgument(`"${name}" has no input.`);
}

/** Whether an operation decides if a loop goes on with a value. */
export function isLoopSwitch({ type, inputs }: Operation): boolean {
  return type === "Switch" && inputs[1]?.op.type === "LoopCond";
}

function beginsWith(frames: Frames, beginning: Frames): boolean {
  return beginning.every((frame, i) => frames[i] === frame);
}

function deepest(ops: Iterable<Operation>, frames: ReadonlyMap<Operation, Frames>): Frames {
  let found = OUTSIDE;
  for (const op of ops) {
    const own = frames.get(op) ?? OUTSIDE;
    if (own.length > found.length) found = own;
  }
  return found;
}

/** The loops that each operation is in; an Exit is where its loop was entered. */
function framesOf(graph: Graph): ReadonlyMap<Operation, Frames> {
  const frames = new Map<Operation, Frames>();
  if (!graph.operations.some(({ type }) => type === "Enter")) return frames;
  for (const op of inOrder(graph)) {
    const sources = op.inputs.filter((input) => !leadsBack(input, op)).map((input) => input.op);
    const around = deepest([...sources, ...op.controlInputs], frames);
    if (op.type === "Enter") {
      const name = op.attrs.get("frame_name")?.value;
      const text = name?.$case === "s" ? tryDecodeUtf8(name.value) : undefined;
      frames.set(op, [...around, text ?? op.name]);
    } else frames.set(op, op.type === "Exit" ? around.slice(0, -1) : around);
  }
  return frames;
}
