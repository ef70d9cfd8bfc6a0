import type { DataType } from "../../../../protos/generated/tensorflow/types.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { closesLoop } from "../../../graph/structural-ops.js";
import { invalidArgument, notFound } from "../../../protocol/status.js";
import type { Device } from "../device.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import { NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { checkComplete } from "./graph-checks.js";
import { GraphNode, makeNodeDef, type NodeMap, type TensorRef } from "./graph-node.js";
import type { DeviceLookup } from "./placer.js";
import { clientKey, recvAttrs, sendAttrs, type Transfer } from "./send-recv.js";
import type { StepSignature } from "./step-signature.js";

/** A point at which the master provides a feed. */
export interface FeedPoint {
  /** The rendezvous key. */
  readonly key: string;
  readonly dataType: DataType;
  /** The _Recv that takes it. */
  readonly node: string;
}

/** The nodes that a step of one signature runs, each after its inputs except for the back edges of loops. */
export interface StepGraph {
  readonly nodes: NodeMap;
  /** Full device names by node. */
  readonly devices: DeviceLookup;
  /** The feeds that the step uses, by the client's name for them. */
  readonly feeds: ReadonlyMap<string, FeedPoint>;
  /** Keys of the rendezvous by the client's name for a fetch. */
  readonly fetches: ReadonlyMap<string, string>;
  /** The nodes that must run: targets, and the _Send of each fetch. */
  readonly roots: readonly string[];
}

export interface StepGraphInput {
  readonly graph: { readonly nodes: NodeMap; readonly devices: DeviceLookup };
  readonly signature: StepSignature;
  readonly ops: OpRegistry;
  readonly facts: OpFactsSource;
  /** The master's own CPU: feeds start and fetches end there. */
  readonly clientDevice: Device;
}

/**
 * The part of a graph that a step needs, with a _Recv in place of each fed tensor and a _Send for each fetched one.
 * @throws TensorFlowError NOT_FOUND or INVALID_ARGUMENT, in TensorFlow's words, for tensors that are not in the graph.
 */
export function makeStepGraph(input: StepGraphInput): PausingWork<StepGraph> {
  return new StepGraphBuilder(input).build();
}

class StepGraphBuilder {
  readonly #input: StepGraphInput;
  readonly #nodes = new Map<string, GraphNode>();
  /** The devices of nodes that are not in the session's graph. */
  readonly #ownDevices = new Map<string, string>();
  /** Replacements of outputs, by the name of the node and their number. */
  readonly #substitutes = new Map<string, TensorRef[]>();
  /** The _Recv that replaces a node in control edges: only for placeholders, which cannot run if they are fed. */
  readonly #controlSubstitutes = new Map<string, string>();
  readonly #recvNodes = new Map<string, { readonly node: GraphNode; readonly feed: string }>();
  readonly #feedPoints = new Map<string, FeedPoint>();
  /** "x:0". */
  readonly #fed = new Set<string>();
  readonly #sendNames = new Set<string>();
  /** The nodes that are added, or will be once what they need is. */
  readonly #entered = new Set<string>();

  constructor(input: StepGraphInput) {
    this.#input = input;
  }

  *build(): PausingWork<StepGraph> {
    const { signature } = this.#input;
    for (const feed of signature.feeds) {
      this.#addFeed(feed);
    }
    for (const { from, to } of signature.connections) {
      this.#addConnection(from, to);
    }
    const sends = [...new Set(signature.fetches)].map((fetch) => this.#makeSend(fetch));
    const targets = [...new Set(signature.targets)].map((target) => this.#targetNode(target));
    for (const root of [...targets, ...sends.map(({ source }) => source.node)]) {
      yield* this.#visit(root);
    }
    for (const { node } of sends) {
      this.#nodes.set(node.name, node);
      this.#ownDevices.set(node.name, this.#input.clientDevice.name);
    }
    yield* checkComplete([...this.#nodes.values()]);
    return {
      nodes: this.#nodes,
      devices: this.#devices(),
      feeds: new Map([...this.#feedPoints].filter(([, { node }]) => this.#nodes.has(node))),
      fetches: new Map(sends.map(({ fetch, key }) => [fetch, key])),
      roots: [...targets, ...sends.map(({ node }) => node.name)],
    };
  }

  #addFeed(feed: string): void {
    const { clientDevice, ops, facts } = this.#input;
    const { ref, dataType, source } = this.#tensor(feed, "FeedInputs");
    const transfer = this.#clientTransfer(feed, dataType);
    const name = `_recv_${ref.node}_${ref.output}`;
    const node = new GraphNode(makeNodeDef(name, "_Recv", recvAttrs(transfer)), ops.require("_Recv"), [], []);
    this.#recvNodes.set(name, { node, feed });
    this.#feedPoints.set(feed, { key: clientKey(transfer), dataType, node: name });
    this.#ownDevices.set(name, clientDevice.name);
    this.#substitute(ref, { node: name, output: 0 });
    this.#fed.add(textOf(ref));
    if (facts.facts(source.op).isPlaceholder) {
      this.#controlSubstitutes.set(ref.node, name);
    }
  }

  #addConnection(from: string, to: string): void {
    const { ref } = this.#tensor(to, "FeedInputs");
    const source = parseTensorName(from);
    const outputs = this.#input.graph.nodes.get(source.node)?.outputs;
    if (outputs === undefined) {
      throw invalidArgument(`Requested tensor connection from unknown node: "${from}".`);
    }
    if (outputs[source.output] === undefined) {
      throw invalidArgument(`Requested tensor connection from unknown edge: "${from}".`);
    }
    this.#substitute(ref, source);
    this.#fed.add(textOf(ref));
  }

  #substitute(ref: TensorRef, by: TensorRef): void {
    const outputs = this.#substitutes.get(ref.node) ?? [];
    outputs[ref.output] = by;
    this.#substitutes.set(ref.node, outputs);
  }

  #makeSend(fetch: string): { fetch: string; key: string; source: TensorRef; node: GraphNode } {
    const { ops } = this.#input;
    const { ref, dataType } = this.#tensor(fetch, "FetchOutputs");
    if (this.#fed.has(textOf(ref))) {
      throw invalidArgument(`${fetch} is both fed and fetched.`);
    }
    const transfer = this.#clientTransfer(fetch, dataType);
    const name = this.#sendName(`_send_${ref.node}_${ref.output}`);
    const def = makeNodeDef(name, "_Send", sendAttrs(transfer));
    const node = new GraphNode(def, ops.require("_Send"), [ref], []);
    return { fetch, key: clientKey(transfer), source: ref, node };
  }

  /** Two spellings of one tensor, "x" and "x:0", are two fetches. */
  #sendName(wanted: string): string {
    const name = this.#sendNames.has(wanted) ? this.#sendName(`${wanted}_`) : wanted;
    this.#sendNames.add(name);
    return name;
  }

  #targetNode(target: string): string {
    const { node } = parseTensorName(target);
    if (!this.#input.graph.nodes.has(node)) {
      throw notFound(`PruneForTargets: Some target nodes not found: ${target}`);
    }
    return node;
  }

  #tensor(text: string, what: "FeedInputs" | "FetchOutputs") {
    const ref = parseTensorName(text);
    const source = this.#input.graph.nodes.get(ref.node);
    const isFeed = what === "FeedInputs";
    if (source === undefined) {
      throw notFound(
        isFeed ? `${what}: unable to find feed output ${text}` : `${what} node ${text}: not found`,
      );
    }
    const count = source.outputs.length;
    if (!isFeed && count === 0) {
      throw invalidArgument(
        `Tried to fetch data for '${text}', which produces no output.  To run to a node but not fetch any data, pass ` +
          `'${text}' as an argument to the 'target_node_names' argument of the Session::Run API.`,
      );
    }
    const output = source.outputs[ref.output];
    if (output?.dtype === undefined) {
      throw invalidArgument(
        isFeed
          ? `${what}: ${text} should have output index < ${count}`
          : `${what} ${text}: output index too large, must be < ${count}`,
      );
    }
    return { ref, source, dataType: output.dtype };
  }

  #clientTransfer(tensorName: string, dataType: DataType): Transfer {
    const { name, incarnation } = this.#input.clientDevice;
    return { tensorName, sendDevice: name, incarnation, recvDevice: name, dataType, clientTerminated: true };
  }

  /** Adds a node after everything that it needs, without recursion, since graphs are deep. */
  *#visit(root: string): PausingWork<void> {
    const stack: GraphNode[] = [];
    // For each node of the stack, the number of the source to be visited next.
    const next: number[] = [];
    const enter = (name: string) => {
      if (this.#entered.has(name)) {
        return;
      }
      this.#entered.add(name);
      const node = this.#rewired(name);
      if (node !== undefined) {
        stack.push(node);
        next.push(0);
      }
    };
    enter(root);
    const backEdges: string[] = [];
    let steps = 0;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      steps += 1;
      if (steps % NODES_PER_PAUSE === 0) {
        yield;
      }
      const position = next.pop() as number;
      const source = top.inputs[position]?.node ?? top.controls[position - top.inputs.length];
      if (source === undefined) {
        stack.pop();
        this.#nodes.set(top.name, top);
        continue;
      }
      next.push(position + 1);
      if (this.#entered.has(source)) {
        continue;
      }
      const from = this.#input.graph.nodes.get(source);
      if (from !== undefined && closesLoop(from.op, top.op)) {
        backEdges.push(source);
      } else {
        enter(source);
      }
    }
    // The body of a loop is reached through the back edge: it is added once its Merge is.
    for (const source of backEdges) {
      yield* this.#visit(source);
    }
  }

  /** The node with its replaced inputs, or the _Recv that was created for a feed. */
  #rewired(name: string): GraphNode | undefined {
    const node = this.#input.graph.nodes.get(name) ?? this.#recvNodes.get(name)?.node;
    if (node === undefined || this.#substitutes.size === 0) {
      return node;
    }
    const inputs = replaced(node.inputs, this.#inputFor);
    const controls = replaced(node.controls, this.#controlFor);
    return inputs === node.inputs && controls === node.controls ? node : node.connect(inputs, controls);
  }

  readonly #inputFor = (input: TensorRef): TensorRef =>
    this.#substitutes.get(input.node)?.[input.output] ?? input;

  readonly #controlFor = (control: string): string => this.#controlSubstitutes.get(control) ?? control;

  /** Not copied: the nodes of a session's graph never move. */
  #devices(): DeviceLookup {
    const { devices } = this.#input.graph;
    return { get: (name) => devices.get(name) ?? this.#ownDevices.get(name) };
  }
}

/** The items with replacements for some of them; the same list if there are none. */
function replaced<T>(items: readonly T[], replacement: (item: T) => T): readonly T[] {
  for (let index = 0; index < items.length; index += 1) {
    if (replacement(items[index] as T) !== items[index]) {
      return items.map(replacement);
    }
  }
  return items;
}

/** "x" and "x:0" are the first output of x. A text without such a suffix is a name, as in TensorFlow. */
export function parseTensorName(text: string): TensorRef {
  const match = /^(.*):(\d{1,9})$/s.exec(text);
  return match === null ? { node: text, output: 0 } : { node: match[1] ?? "", output: Number(match[2]) };
}

function textOf({ node, output }: TensorRef): string {
  return `${node}:${output}`;
}
