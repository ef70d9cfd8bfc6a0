import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { type FunctionTools, inlineBody } from "../../engines/portable/master/inline-body.js";
import { formatEdge, parseEdge } from "../../graph/edge.js";
import { indexOf, neededFor } from "../../graph/graph-index.js";
import { bundledOpRegistry, type OpRegistry } from "../../graph/op-registry.js";
import { structureOf } from "../../graph/structural-ops.js";
import { invalidArgument } from "../../protocol/status.js";

/** The maximum depth of nested function calls. */
const MAX_DEPTH = 100;

/** An output of a node of the flat graph. */
export interface Source {
  readonly node: NodeDef;
  readonly output: number;
}

/** An operation of a graph and its dependencies, with function calls inlined. */
export class FlatGraph {
  readonly ops: OpRegistry;
  readonly #nodes = new Map<string, NodeDef>();
  /** The replacements of a call's outputs and of its completion. */
  readonly #results = new Map<string, readonly string[]>();
  readonly #ends = new Map<string, readonly string[]>();
  readonly #made = new Set<string>();

  /** @param prefix of the names of nodes that come from functions */
  constructor(graph: GraphDef, root: string, prefix: string) {
    const functions = new Map(graph.library?.function.map((one) => [one.signature?.name ?? "", one]));
    this.ops = bundledOpRegistry().withFunctions(graph.library);
    const byName = new Map(graph.node.map((node) => [node.name, node]));
    const needed = neededFor(indexOf(byName), [root]);
    this.#add(
      graph.node.filter(({ name }) => needed.has(name)),
      prefix,
      { functions, ops: this.ops },
      0,
    );
  }

  get nodes(): Iterable<NodeDef> {
    return this.#nodes.values();
  }

  get(name: string): NodeDef | undefined {
    return this.#nodes.get(name);
  }

  /** Whether a node comes from a function and is therefore not in the graph itself. */
  isMade(name: string): boolean {
    return this.#made.has(name);
  }

  /** The data inputs of a node as outputs of others, skipping nodes that only forward values. */
  sources(node: NodeDef): Source[] {
    return node.input.filter((text) => !text.startsWith("^")).map((text) => this.#sourceOf(text));
  }

  /** The names of the nodes that a node waits for. */
  controls(node: NodeDef): string[] {
    return node.input.filter((text) => text.startsWith("^")).flatMap((text) => this.ends(text.slice(1)));
  }

  /** The nodes whose end is the end of a node: for a call, those of its function. */
  ends(name: string): readonly string[] {
    return this.#ends.get(name)?.flatMap((end) => this.ends(end)) ?? [name];
  }

  #add(nodes: readonly NodeDef[], prefix: string, tools: FunctionTools, depth: number): void {
    if (depth > MAX_DEPTH) throw invalidArgument("Functions of the graph call each other endlessly.");
    for (const node of nodes) {
      const callee = node.attr.get("f")?.value;
      if (structureOf(node.op).calls !== "call" || callee?.$case !== "func") {
        this.#nodes.set(node.name, node);
        if (depth > 0) this.#made.add(node.name);
        continue;
      }
      const inner = depth === 0 ? `${prefix}${node.name}` : node.name;
      const start = `${inner}/start`;
      const controls = node.input.filter((text) => text.startsWith("^"));
      const inputs = node.input.filter((text) => !text.startsWith("^"));
      const body = inlineBody(callee.value, { prefix: inner, device: "", inputs, pivot: start }, tools);
      this.#nodes.set(start, {
        ...node,
        name: start,
        op: "NoOp",
        device: "",
        input: controls,
        attr: new Map(),
      });
      this.#made.add(start);
      this.#results.set(node.name, body.results);
      this.#ends.set(node.name, [start, ...body.ends.map((end) => end.slice(1))]);
      this.#add(body.nodes, prefix, tools, depth + 1);
    }
  }

  #sourceOf(text: string): Source {
    const edge = parseEdge(text);
    const output = edge.control ? 0 : edge.output;
    const result = this.#results.get(edge.node)?.[output];
    if (result !== undefined) return this.#sourceOf(result);
    const node = this.#nodes.get(edge.node);
    if (!node)
      throw invalidArgument(`The graph does not contain the node ${edge.node}, which another node reads.`);
    const [input, ...more] = node.input;
    if (node.op === "Identity" && input !== undefined && more.length === 0) return this.#sourceOf(input);
    return { node, output };
  }
}

/** A source in the form of NodeDef.input. */
export function inputText({
  node,
  output,
}: {
  readonly node: { readonly name: string };
  readonly output: number;
}) {
  return formatEdge({ control: false, node: node.name, output });
}
