/** The bodies of functions as graphs, and graphs as bodies of functions. */
import {
  type AttrValue,
  AttrValue_ListValue,
  type NameAttrList,
} from "../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { OpDef, OpDef_ArgDef } from "../../../protos/generated/tensorflow/op_def.js";
import { formatEdge, parseEdge } from "../edge.js";
import { Graph } from "../graph.js";
import { outputTypes } from "../node-signature.js";
import type { Operation, Output } from "../operation.js";
import { partialShapeToProto, type Shape } from "../shape.js";
import { structureOf } from "../structural-ops.js";
import { instantiateBody } from "./instantiate-body.js";

/** A graph with inputs, the outputs of its _Arg nodes, and outputs: what a function computes. */
export interface BodyGraph {
  readonly graph: Graph;
  readonly inputs: readonly Output[];
  readonly outputs: readonly Output[];
  /** The nodes that end before a call does, although no output needs them. */
  readonly controls: readonly Operation[];
}

/**
 * The body of a function as a graph of its own, which shares the functions of the caller's graph.
 * @param shapes of the arguments, as far as the caller knows them
 */
export function bodyGraphOf(
  caller: Graph,
  callee: NameAttrList,
  shapes: readonly (Shape | undefined)[],
): BodyGraph {
  const definition = caller.functions.require(callee.name);
  const nodes: NodeDef[] = [];
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const node of instantiateBody(definition, callee.attr, caller.registry)) {
    const { boundary } = structureOf(node.op);
    if (boundary === "result") outputs[indexOf(node)] = node.input[0] ?? "";
    else nodes.push(node);
    if (boundary !== "argument") continue;
    inputs[indexOf(node)] = node.name;
    setShape(node, shapes[indexOf(node)]);
  }
  const graph = graphOf(caller, nodes);
  return {
    graph,
    inputs: inputs.map((name) => graph.tensor(name)),
    outputs: outputs.map((name) => graph.tensor(name)),
    controls: [...new Set(definition.controlRet.values())].map((name) => graph.operation(name)),
  };
}

/** Nodes as a graph that shares the functions of another one. */
export function graphOf(caller: Graph, nodes: NodeDef[]): Graph {
  const { registry, functions } = caller;
  return Graph.fromGraphDef(GraphDef.fromPartial({ node: nodes }), { registry, functions });
}

function indexOf({ attr }: NodeDef): number {
  const index = attr.get("index")?.value;
  return index?.$case === "i" ? Number(index.value) : 0;
}

/** Says of an _Arg node what shape its value has. */
export function setShape(node: NodeDef, shape: Shape | undefined): void {
  if (shape) node.attr.set("_output_shapes", shapesAttr([shape]));
}

/** Shapes as an attribute's value. */
export function shapesAttr(shapes: readonly (Shape | undefined)[]): AttrValue {
  const value = AttrValue_ListValue.fromPartial({ shape: shapes.map(partialShapeToProto) });
  return { value: { $case: "list", value } };
}

/** The dtypes of tensors as an attribute's value. */
export function typesAttr(tensors: readonly Output[]): AttrValue {
  const type = tensors.map(({ dataType }) => dataType ?? 0);
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ type }) } };
}

/** A function as an attribute's value. */
export function functionAttr(name: string): AttrValue {
  return { value: { $case: "func", value: { name, attr: new Map() } } };
}

/** Several functions as an attribute's value. */
export function functionListAttr(names: readonly string[]): AttrValue {
  const func = names.map((name) => ({ name, attr: new Map() }));
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ func }) } };
}

/** The nodes of a graph that become a function. */
export interface FunctionParts {
  /** Its name; a number is added if there is such a function already. */
  readonly name: string;
  /** The tensors that it is called with: their nodes do not belong to it. */
  readonly args: readonly Output[];
  readonly nodes: Iterable<Operation>;
  readonly results: readonly Output[];
  readonly controls?: readonly Operation[];
  /** Tensors that stand for others wherever the nodes read those. */
  readonly instead?: ReadonlyMap<Output, Output>;
}

/** Adds a function to those of a graph. @returns its name */
export function addFunction(graph: Graph, parts: FunctionParts): string {
  const name = graph.functions.uniqueName(parts.name);
  const called = new Set(parts.args.map(({ op }) => op));
  const nodes = [...new Set(parts.nodes)].filter((op) => !called.has(op));
  const texts = new FunctionTexts(nodes, parts);
  const arg = (output: Output, argName: string) =>
    OpDef_ArgDef.fromPartial({ name: argName, type: output.dataType ?? 0 });
  const results = parts.results.map((output, i) => [output, `result_${i}`] as const);
  const controls = parts.controls ?? [];
  graph.functions.add(
    FunctionDef.fromPartial({
      signature: OpDef.fromPartial({
        name,
        inputArg: parts.args.map((output, i) => arg(output, texts.argName(i))),
        outputArg: results.map(([output, result]) => arg(output, result)),
        controlOutput: controls.map((op) => op.name),
        isStateful: hasEffects(graph, nodes),
      }),
      nodeDef: nodes.map((op) => texts.node(op)),
      ret: new Map(results.map(([output, result]) => [result, texts.tensor(output)])),
      controlRet: new Map(controls.map((op) => [op.name, op.name])),
    }),
  );
  return name;
}

/** Whether one of these nodes has state or an effect. */
export function hasEffects({ registry }: Graph, nodes: Iterable<Operation>): boolean {
  return [...nodes].some((op) => registry.get(op.type)?.isStateful === true);
}

/** The names of tensors within a function: "argument", and "node:output_arg:0". */
class FunctionTexts {
  readonly #names: ReadonlySet<string>;
  readonly #args = new Map<Output, string>();
  readonly #argNames: readonly string[];
  readonly #instead: ReadonlyMap<Output, Output>;

  constructor(nodes: readonly Operation[], { args, instead }: FunctionParts) {
    this.#names = new Set(nodes.map((op) => op.name));
    this.#instead = instead ?? new Map();
    this.#argNames = args.map((_, i) => {
      let name = `arg_${i}`;
      while (this.#names.has(name)) name = `${name}_`;
      return name;
    });
    for (const [i, arg] of args.entries()) this.#args.set(arg, this.argName(i));
  }

  argName(index: number): string {
    return this.#argNames[index] ?? "";
  }

  tensor(output: Output): string {
    const actual = this.#instead.get(output) ?? output;
    const arg = this.#args.get(actual);
    if (arg !== undefined) return arg;
    const { op } = actual;
    const { registry } = Graph.of(op);
    const outputs = outputTypes(registry.require(op.type), { attr: new Map(op.attrs) });
    const { argName, index } = outputs[actual.index] ?? { argName: "", index: undefined };
    return `${op.name}:${argName}:${index ?? 0}`;
  }

  /** A node with its inputs in the function's names. Where another tensor stands for one, nothing waits for its node. */
  node(op: Operation): NodeDef {
    const controls = op
      .toNodeDef()
      .input.map(parseEdge)
      .filter((edge) => edge.control && this.#names.has(edge.node));
    return {
      ...op.toNodeDef(),
      input: [...op.inputs.map((input) => this.tensor(input)), ...controls.map(formatEdge)],
    };
  }
}
