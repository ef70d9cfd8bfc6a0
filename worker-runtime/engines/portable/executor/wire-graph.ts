import type { SignatureArg } from "../../../graph/node-signature.js";
import type { NodeRole } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OpFacts } from "../kernels/op-facts.js";
import { eachOf, mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import type { BoundNode } from "./bind-kernel.js";
import {
  type CompiledGraph,
  type CompiledNode,
  type ExecutableNode,
  InputRule,
  NO_INPUT,
  type NodeWork,
  type PureWork,
  type QuickNode,
  type StaticFrame,
  type Wiring,
} from "./compiled-node.js";
import { type GraphLinks, NODE_END } from "./graph-links.js";
import type { FramedNodes, FrameOutline } from "./static-frames.js";

/** The nodes of a graph with what was found out about each of them, by number. */
export interface KnownNodes {
  readonly bound: readonly BoundNode[];
  readonly roles: readonly NodeRole[];
  readonly framed: FramedNodes;
}

/** A frame while its nodes are being numbered. */
interface GrowingFrame extends Mutable<StaticFrame> {
  nodes: WiredNode[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Numbers nodes and inputs by frame and turns links into edges between them. */
export function* wireGraph(known: KnownNodes, links: GraphLinks): PausingWork<CompiledGraph> {
  const { bound, roles, framed } = known;
  const frames = new Map<FrameOutline, GrowingFrame>();
  const frameOf = (outline: FrameOutline): GrowingFrame => {
    const made = frames.get(outline) ?? emptyFrame(outline.name, outline.parallelIterations);
    frames.set(outline, made);
    return made;
  };
  const root = frameOf(framed.root);
  let ports = 0;
  const grow = (each: BoundNode, index: number) => {
    const entered = roles[index] === "enter" ? framed.outputFrames[index] : undefined;
    const node = new WiredNode(
      each,
      roles[index] ?? "plain",
      referencesTo(each.node, index, bound, links),
      frameOf(framed.frames[index] ?? framed.root),
      entered === undefined ? undefined : frameOf(entered),
      each.work.kind === "region" ? controlCount(links, index) : 0,
      ports,
    );
    ports += each.node.outputs.length + 1;
    return node;
  };
  const nodes = yield* mapped(bound, grow, NODES_PER_PAUSE);
  for (const frame of frames.values()) {
    yield* layOut(frame);
  }
  yield* setCounters(nodes, links);
  return {
    nodes,
    root,
    wiring: yield* connect(nodes, links, ports),
    sources: nodes.filter((_, index) => links.first[index] === links.first[index + 1]),
    resultCount: countResults(nodes),
    devices: [...new Set(nodes.map(({ device }) => device))],
  };
}

function emptyFrame(name: string, parallelIterations: number): GrowingFrame {
  const noNumbers = new Int32Array(0);
  return {
    name,
    parallelIterations,
    nodes: [],
    inputCount: 0,
    enterCount: 0,
    counters: noNumbers,
    rules: new Uint8Array(0),
    leadsOut: new Uint8Array(0),
    firstInput: noNumbers,
    firstPort: noNumbers,
    endPort: noNumbers,
    quick: [],
  };
}

/** Fills what is known by slot, but for the counters. */
function* layOut(frame: GrowingFrame): PausingWork<void> {
  const count = frame.nodes.length;
  frame.counters = new Int32Array(2 * count);
  frame.rules = new Uint8Array(count);
  frame.leadsOut = new Uint8Array(count);
  frame.firstInput = new Int32Array(count + 1);
  frame.firstPort = new Int32Array(count);
  frame.endPort = new Int32Array(count);
  const shared = new Map<PureWork, QuickNode>();
  const place = (node: WiredNode, slot: number): QuickNode | undefined => {
    frame.rules[slot] = inputRule(node);
    frame.leadsOut[slot] = Number(
      node.role === "enter" || node.role === "exit" || node.role === "next-iteration",
    );
    frame.firstInput[slot + 1] = (frame.firstInput[slot] ?? 0) + node.inputCount;
    frame.firstPort[slot] = node.firstPort;
    frame.endPort[slot] = node.firstPort + node.outputDtypes.length;
    return quickNode(node, shared);
  };
  frame.quick = yield* mapped(frame.nodes, place, NODES_PER_PAUSE);
  frame.inputCount = frame.firstInput[count] ?? 0;
}

function quickNode(
  { work, role, referencesToRead, inputCount, outputDtypes, outputIsRef }: CompiledNode,
  shared: Map<PureWork, QuickNode>,
): QuickNode | undefined {
  if (work.kind !== "pure" || role !== "plain" || referencesToRead.length > 0 || outputIsRef.includes(true)) {
    return undefined;
  }
  const known = shared.get(work);
  if (known?.outputDtypes === outputDtypes) {
    return known;
  }
  const isBinary = inputCount === 2 && outputDtypes.length === 1 && outputDtypes[0] === "float32";
  const made = { work, small: isBinary ? work.small : undefined, outputDtypes };
  shared.set(work, made);
  return made;
}

function inputRule({ role, work }: CompiledNode): number {
  if (role === "merge") {
    return InputRule.merge;
  }
  return role === "control-trigger" || work.kind === "region" ? InputRule.neverDead : InputRule.all;
}

/** @param ports of all nodes together. */
function* connect(nodes: readonly WiredNode[], links: GraphLinks, ports: number): PausingWork<Wiring> {
  const firstEdge = new Int32Array(ports + 1);
  const portOf = (input: number): number => {
    const source = nodes[links.source[input] ?? 0];
    const output = links.output[input] ?? 0;
    return (source?.firstPort ?? 0) + (output === NODE_END ? (source?.outputDtypes.length ?? 0) : output);
  };
  // First the number of edges of each port, one place further on, where the next port's first edge will stand.
  const count = (_: WiredNode, index: number) => {
    const end = links.first[index + 1] ?? 0;
    for (let input = links.first[index] ?? 0; input < end; input += 1) {
      const port = portOf(input);
      firstEdge[port + 1] = (firstEdge[port + 1] ?? 0) + 1;
    }
  };
  yield* eachOf(nodes, count, NODES_PER_PAUSE);
  for (let port = 0; port < ports; port += 1) {
    firstEdge[port + 1] = (firstEdge[port + 1] ?? 0) + (firstEdge[port] ?? 0);
  }
  const edges = firstEdge[ports] ?? 0;
  const [target, inputIndex] = [new Int32Array(edges), new Int32Array(edges)];
  const next = firstEdge.slice();
  const fill = ({ frame, slot, work }: WiredNode, index: number) => {
    const start = links.first[index] ?? 0;
    const end = links.first[index + 1] ?? 0;
    const dataEnd = work.kind === "region" ? end : start + (links.dataCount[index] ?? 0);
    const firstInput = frame.firstInput[slot] ?? 0;
    for (let input = start; input < end; input += 1) {
      const port = portOf(input);
      const edge = next[port] ?? 0;
      next[port] = edge + 1;
      target[edge] = slot;
      inputIndex[edge] = input < dataEnd ? firstInput + input - start : NO_INPUT;
    }
  };
  yield* eachOf(nodes, fill, NODES_PER_PAUSE);
  return { firstEdge, target, inputIndex };
}

/** @throws TensorFlowError INVALID_ARGUMENT where the indices of results are not 0, 1, 2, … */
function countResults(nodes: readonly CompiledNode[]): number {
  const indices = new Set<number>();
  for (const { node, work } of nodes) {
    if (work.kind === "result") {
      if (indices.has(work.index)) {
        throw invalidArgument(`{{node ${node.name}}} is a second result of index ${work.index}.`);
      }
      indices.add(work.index);
    }
  }
  for (const index of indices) {
    if (index >= indices.size) {
      throw invalidArgument(`A graph with ${indices.size} results has one of index ${index}.`);
    }
  }
  return indices.size;
}

const NO_INDICES: readonly number[] = [];

type OutputKinds = Pick<CompiledNode, "outputDtypes" | "outputIsRef">;

const outputKinds = new WeakMap<readonly SignatureArg[], OutputKinds>();

/** Nodes that share a signature share this, too: the fewer objects a step goes through, the faster it is. */
function outputsOf(outputs: readonly SignatureArg[]): OutputKinds {
  const known = outputKinds.get(outputs);
  if (known !== undefined) {
    return known;
  }
  const kinds = {
    outputDtypes: outputs.map(({ dtype }) => (dtype === undefined ? undefined : dtypeOf(dtype))),
    outputIsRef: outputs.map(({ isRef }) => isRef),
  };
  outputKinds.set(outputs, kinds);
  return kinds;
}

function controlCount({ first, dataCount }: GraphLinks, index: number): number {
  return (first[index + 1] ?? 0) - (first[index] ?? 0) - (dataCount[index] ?? 0);
}

/**
 * The inputs of a node that get a reference although its op wants a value. An op that allows a variable without a value
 * reads it itself.
 */
function referencesTo(
  node: KernelNode,
  index: number,
  bound: readonly BoundNode[],
  { first, dataCount, source, output }: GraphLinks,
): readonly number[] {
  let found: number[] | undefined;
  for (let position = 0; position < (dataCount[index] ?? 0); position += 1) {
    const input = (first[index] ?? 0) + position;
    const isRef = bound[source[input] ?? 0]?.node.outputs[output[input] ?? 0]?.isRef;
    if (isRef === true && isReadBefore(node, position)) {
      found ??= [];
      found.push(position);
    }
  }
  return found ?? NO_INDICES;
}

/** True if a reference at this input is replaced by its value before the kernel runs. */
function isReadBefore({ inputs, opDef }: KernelNode, position: number): boolean {
  return inputs[position]?.isRef === false && !opDef.allowsUninitializedInput;
}

/** A class, since V8 makes objects that are put together from others ten times as large, and slow to read. */
class BoundExecutable implements ExecutableNode {
  readonly node: KernelNode;
  readonly role: NodeRole;
  readonly work: NodeWork;
  readonly device: string;
  readonly deviceType: string;
  readonly referencesToRead: readonly number[];
  readonly outputDtypes: OutputKinds["outputDtypes"];
  readonly outputIsRef: OutputKinds["outputIsRef"];
  readonly facts: OpFacts;

  constructor(
    { node, work, deviceType, facts }: BoundNode,
    role: NodeRole,
    referencesToRead: readonly number[],
  ) {
    this.node = node;
    this.role = role;
    this.work = work;
    this.device = node.device;
    this.deviceType = deviceType;
    this.referencesToRead = referencesToRead;
    const { outputDtypes, outputIsRef } = outputsOf(node.outputs);
    this.outputDtypes = outputDtypes;
    this.outputIsRef = outputIsRef;
    this.facts = facts;
  }
}

class WiredNode extends BoundExecutable implements CompiledNode {
  readonly frame: GrowingFrame;
  readonly entered: StaticFrame | undefined;
  readonly isConstantEnter: boolean;
  readonly slot: number;
  readonly inputCount: number;
  /** The number of its first port. */
  readonly firstPort: number;

  /** @param controlInputs control inputs that have a place among its inputs. */
  constructor(
    bound: BoundNode,
    role: NodeRole,
    referencesToRead: readonly number[],
    frame: GrowingFrame,
    entered: GrowingFrame | undefined,
    controlInputs: number,
    firstPort: number,
  ) {
    super(bound, role, referencesToRead);
    this.frame = frame;
    this.entered = entered;
    this.isConstantEnter = role === "enter" && bound.node.bool("is_constant");
    this.slot = frame.nodes.length;
    this.inputCount = bound.node.inputs.length + controlInputs;
    this.firstPort = firstPort;
    frame.nodes.push(this);
    if (entered !== undefined) {
      entered.enterCount += 1;
    }
  }
}

/** @param inputIsRef by input: whether a reference leads to it. */
export function executableNode(
  bound: BoundNode,
  role: NodeRole,
  inputIsRef: readonly boolean[],
): ExecutableNode {
  const references = inputIsRef.flatMap((isRef, index) =>
    isRef && isReadBefore(bound.node, index) ? [index] : [],
  );
  return new BoundExecutable(bound, role, references);
}

function* setCounters(nodes: readonly WiredNode[], links: GraphLinks): PausingWork<undefined> {
  return yield* eachOf(nodes, ({ role, frame, slot, work, inputCount }, index) => {
    // A region's control inputs are among its inputs.
    const control = work.kind === "region" ? 0 : controlCount(links, index);
    frame.counters[slot] = role === "merge" ? control : control + inputCount;
  });
}
