import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../protos/generated/tensorflow/op_def.js";
import { invalidArgument } from "../../protocol/status.js";
import { formatEdge, parseEdge } from "../edge.js";
import { inputArgs, outputTypes, type SignatureArg } from "../node-signature.js";
import type { OpRegistry } from "../op-registry.js";
import { substituteAttrs } from "./attr-substitution.js";

/** The tensors that a name within a function stands for, in the form of a graph's inputs. */
type Tensors = readonly string[];

/**
 * The body of a function as nodes of a graph: _Arg nodes for its arguments, _Retval nodes for its results. Nodes that
 * neither a result nor an effect needs are left out, as in TensorFlow.
 * @param attrs the values of the function's own attributes.
 * @throws TensorFlowError INVALID_ARGUMENT for an invalid body, NOT_FOUND for an op that does not exist.
 */
export function instantiateBody(
  definition: FunctionDef,
  attrs: ReadonlyMap<string, AttrValue>,
  ops: OpRegistry,
): readonly NodeDef[] {
  const { signature } = definition;
  if (signature === undefined) {
    throw invalidArgument("A function of the graph's library has no signature.");
  }
  const values = new Map(attrs);
  for (const { name, defaultValue } of signature.attr) {
    if (defaultValue !== undefined && !values.has(name)) {
      values.set(name, defaultValue);
    }
  }
  const names = new BodyNames(signature.name);
  const args = argumentNodes(signature, values, names);
  const body = definition.nodeDef.map((node) => ({ ...node, attr: substituteAttrs(node.attr, values) }));
  for (const node of body) {
    names.addNode(node, outputTypes(ops.require(node.op), node));
  }
  for (const node of body) {
    node.input = node.input.flatMap((input) => names.resolveInput(input));
  }
  const results = resultNodes(definition, signature, values, names);
  const kept = neededNodes(body, results, [...definition.controlRet.values()], ops);
  return [...args, ...kept, ...results];
}

/** Resolves the names in a function's body: "arg", "node:output_arg:0", and "node" alone for control inputs. */
class BodyNames {
  readonly #function: string;
  readonly #tensors = new Map<string, Tensors>();

  constructor(name: string) {
    this.#function = name;
  }

  add(name: string, tensors: Tensors): void {
    if (this.#tensors.has(name)) {
      throw invalidArgument(`Duplicated name '${name}' in function '${this.#function}'.`);
    }
    this.#tensors.set(name, tensors);
  }

  addNode({ name }: NodeDef, outputs: readonly SignatureArg[]): void {
    const byArg = new Map<string, string[]>();
    for (const [output, { argName }] of outputs.entries()) {
      const tensor = formatEdge({ control: false, node: name, output });
      const known = byArg.get(argName);
      if (known === undefined) {
        byArg.set(argName, [tensor]);
      } else {
        known.push(tensor);
      }
    }
    for (const [arg, tensors] of byArg) {
      this.add(`${name}:${arg}`, tensors);
    }
  }

  resolveInput(input: string): Tensors {
    if (!input.startsWith("^")) {
      return this.resolve(input);
    }
    // A control input may name an argument that is a list, which has a node for each tensor.
    return this.#tensors.get(input.slice(1))?.map((tensor) => `^${parseEdge(tensor).node}`) ?? [input];
  }

  /** All tensors of an argument or output, or with the suffix ":i" one of them. */
  resolve(name: string): Tensors {
    const all = this.#tensors.get(name);
    if (all !== undefined) {
      return all;
    }
    const colon = name.lastIndexOf(":");
    const one = this.#tensors.get(name.slice(0, colon))?.[Number(name.slice(colon + 1))];
    if (colon < 0 || one === undefined) {
      throw invalidArgument(`input ${name} is not found in the body of function '${this.#function}'.`);
    }
    return [one];
  }
}

function argumentNodes(signature: OpDef, attr: Map<string, AttrValue>, names: BodyNames): readonly NodeDef[] {
  const nodes: NodeDef[] = [];
  const byArg = new Map<string, string[]>();
  for (const [index, arg] of inputArgs(signature, { attr }).entries()) {
    const name = arg.index === undefined ? arg.argName : `${arg.argName}_${arg.index}`;
    nodes.push(boundaryNode("_Arg", name, index, arg, []));
    byArg.set(arg.argName, [...(byArg.get(arg.argName) ?? []), name]);
  }
  for (const { name } of signature.inputArg) {
    names.add(name, byArg.get(name) ?? []);
  }
  return nodes;
}

function resultNodes(
  definition: FunctionDef,
  signature: OpDef,
  attr: Map<string, AttrValue>,
  names: BodyNames,
): readonly NodeDef[] {
  const tensors = signature.outputArg.flatMap(({ name }) => {
    const source = definition.ret.get(name);
    if (source === undefined) {
      throw invalidArgument(`Return ${name} missing in function '${signature.name}'.`);
    }
    return names.resolve(source);
  });
  const outputs = outputTypes(signature, { attr });
  if (tensors.length !== outputs.length) {
    throw invalidArgument(
      `Function '${signature.name}' returns ${tensors.length} tensors; its signature has ${outputs.length}.`,
    );
  }
  return outputs.map((output, index) =>
    boundaryNode("_Retval", `${output.argName}_RetVal_${index}`, index, output, [tensors[index] ?? ""]),
  );
}

function boundaryNode(
  op: string,
  name: string,
  index: number,
  { dtype }: SignatureArg,
  input: string[],
): NodeDef {
  const attr = new Map<string, AttrValue>([["index", { value: { $case: "i", value: BigInt(index) } }]]);
  if (dtype !== undefined) {
    attr.set("T", { value: { $case: "type", value: dtype } });
  }
  return NodeDef.fromPartial({ op, name, input, attr });
}

/** The nodes with effects, those that the results and the control outputs are made from, and all that these need. */
function neededNodes(
  body: readonly NodeDef[],
  results: readonly NodeDef[],
  controlOutputs: readonly string[],
  ops: OpRegistry,
): readonly NodeDef[] {
  const byName = new Map(body.map((node) => [node.name, node]));
  const needed = new Set<string>();
  const toVisit = [
    ...results.flatMap(({ input }) => input.map((text) => parseEdge(text).node)),
    ...controlOutputs,
    ...body.filter(({ op }) => ops.require(op).isStateful).map(({ name }) => name),
  ];
  for (let name = toVisit.pop(); name !== undefined; name = toVisit.pop()) {
    const node = byName.get(name);
    if (node !== undefined && !needed.has(name)) {
      needed.add(name);
      toVisit.push(...node.input.map((text) => parseEdge(text).node));
    }
  }
  return body.filter(({ name }) => needed.has(name));
}
