/** A graph as the statements of a program that builds it again, for the languages that such a program is written in. */

import { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../protos/generated/tensorflow/op_def.js";
import { type Tensor, tensorFromProto } from "../../protocol/tensor.js";
import {
  COLOCATION_ATTR,
  colocatedNodes,
  colocationGroup,
  colocationGroups,
  nodeOfGroup,
} from "../colocation-groups.js";
import { parseEdge } from "../edge.js";
import { argLength } from "../node-signature.js";
import type { OpRegistry } from "../op-registry.js";
import { PRIVATE_ATTR_PREFIX } from "../private-attrs.js";
import { roleOf, structureOf } from "../structural-ops.js";
import { topologicalOrder } from "../topology.js";

/** One output tensor of an earlier statement. */
export interface OutputRef {
  readonly of: Statement;
  /** Number of the tensor among all outputs of the node. */
  readonly output: number;
  /** Number of the op's output argument that has it. */
  readonly argument: number;
  /** Its number in that argument, if the argument is a list. */
  readonly element: number | undefined;
}

/** The tensors of one input argument: a list if the op's argument is one. */
export interface Argument {
  readonly name: string;
  readonly value: OutputRef | readonly OutputRef[];
}

/** Creates one node. */
export interface Statement {
  /** The name of its variable in the program, where it is unique. */
  readonly variable: string;
  readonly node: NodeDef;
  /**
   * The name to create the node with. TensorFlow takes names that differ only in their case for equal and numbers them,
   * unless they end with a slash.
   */
  readonly name: string;
  readonly opDef: OpDef;
  /** The value of a Const. */
  readonly constant: Tensor | undefined;
  readonly inputs: readonly Argument[];
  /** Those that neither the inputs imply nor the op's defaults, in the order of the op's definition. */
  readonly attrs: readonly (readonly [string, AttrValue])[];
  readonly controls: readonly Statement[];
  /** The nodes whose task and device this one shares. */
  readonly colocatedWith: readonly Statement[];
}

/** A graph as statements, or why it has to be embedded as a whole instead, as the end of a sentence: "it has a loop". */
export type Program =
  | { readonly statements: readonly Statement[]; readonly obstacle?: undefined }
  | { readonly obstacle: string };

export interface ProgramOptions {
  readonly registry: OpRegistry;
  /** Names that the program uses for something else. */
  readonly reserved: ReadonlySet<string>;
  /** Whether the language has a literal for a constant. */
  hasLiteral(value: Tensor): boolean;
}

/** A program of more lines than this is not read by anyone. */
const MAX_NODES = 5_000;
/** Ops that TensorFlow's compilers, passes and runtime add; Python has no function for them. */
const INTERNAL_OP = /^(_|Risc|TPU|Xla)/;
/** Recorded by TensorFlow's Python for readers of the graph; a program that builds it again records them again. */
const RECORDED: ReadonlySet<string> = new Set(["_has_manual_control_dependencies", "_output_shapes"]);

class Obstacle extends Error {}

/** Orders the nodes of a graph and gives each a variable. */
export function programOf(graph: GraphDef, options: ProgramOptions): Program {
  try {
    return { statements: statementsOf(graph, options) };
  } catch (error) {
    if (error instanceof Obstacle) return { obstacle: error.message };
    throw error;
  }
}

function statementsOf(
  graph: GraphDef,
  { registry, reserved, hasLiteral }: ProgramOptions,
): readonly Statement[] {
  if (graph.node.length > MAX_NODES) throw new Obstacle(`it has ${graph.node.length} nodes`);
  if ((graph.library?.function.length ?? 0) > 0) throw new Obstacle("it has functions");
  const names = new VariableNames(reserved);
  const takenNames = new Set<string>();
  const made = new Map<string, Statement>();
  return inOrder(graph.node).map((node) => {
    const opDef = registry.get(node.op);
    if (opDef === undefined) throw new Obstacle(`the op ${node.op} is unknown`);
    if (INTERNAL_OP.test(node.op)) throw new Obstacle(`${node.op} is an internal op`);
    if (roleOf(node.op) === "next-iteration") throw new Obstacle("it has a while loop");
    if (structureOf(node.op).calls) throw new Obstacle("it calls functions");
    const statement: Statement = {
      variable: names.of(node.name),
      node,
      name: takenNames.has(node.name.toLowerCase()) ? `${node.name}/` : node.name,
      opDef,
      constant: node.op === "Const" ? constantOf(node, hasLiteral) : undefined,
      inputs: argumentsOf(node, opDef, made),
      attrs: attrsOf(node, opDef),
      controls: node.input.map(parseEdge).flatMap((edge) => (edge.control ? [earlier(made, edge.node)] : [])),
      colocatedWith: leadersOf(node, made),
    };
    takenNames.add(node.name.toLowerCase());
    made.set(node.name, statement);
    return statement;
  });
}

/** The nodes in an order in which each comes after those that it needs: as they are in the file, if that is one. */
function inOrder(nodes: readonly NodeDef[]): readonly NodeDef[] {
  const waiting = nodes.map(afterLeaders);
  const before = new Set<string>();
  const isOrdered = waiting.every(({ name, input }) => {
    before.add(name);
    return input.every((edge) => before.has(parseEdge(edge).node));
  });
  if (isOrdered) return nodes;
  const { order, cycle } = topologicalOrder(waiting);
  if (cycle) throw new Obstacle("it has a cycle");
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return order.flatMap(({ name }) => byName.get(name) ?? []);
}

/** Handles and variants have no literal; a value that cannot be read stays as it is in the file. */
function constantOf({ name, attr }: NodeDef, hasLiteral: ProgramOptions["hasLiteral"]): Tensor {
  const value = attr.get("value")?.value;
  try {
    const tensor = value?.$case === "tensor" ? tensorFromProto(value.value) : undefined;
    if (tensor && tensor.dtype !== "resource" && tensor.dtype !== "variant" && hasLiteral(tensor))
      return tensor;
  } catch {
    // The same obstacle.
  }
  throw new Obstacle(`${name} has no value that can be written`);
}

function earlier(made: ReadonlyMap<string, Statement>, name: string): Statement {
  const statement = made.get(name);
  if (statement === undefined) throw new Obstacle(`an input of it, ${name || "one"}, is missing`);
  return statement;
}

function argumentsOf(node: NodeDef, opDef: OpDef, made: ReadonlyMap<string, Statement>): Argument[] {
  const tensors = node.input
    .map(parseEdge)
    .flatMap((edge) => (edge.control ? [] : [outputOf(earlier(made, edge.node), edge.output)]));
  let next = 0;
  const take = (): OutputRef => {
    const tensor = tensors[next++];
    if (tensor === undefined) throw new Obstacle(`an input of ${node.name} is missing`);
    return tensor;
  };
  const inputs = opDef.inputArg.map((arg): Argument => {
    const length = argLength(opDef, node, arg);
    return { name: arg.name, value: length === undefined ? take() : Array.from({ length }, take) };
  });
  if (next < tensors.length) throw new Obstacle(`${node.name} has too many inputs`);
  return inputs;
}

function outputOf(statement: Statement, output: number): OutputRef {
  const { node, opDef } = statement;
  let before = 0;
  for (const [argument, arg] of opDef.outputArg.entries()) {
    const length = argLength(opDef, node, arg);
    const size = length ?? 1;
    if (output < before + size) {
      return { of: statement, output, argument, element: length === undefined ? undefined : output - before };
    }
    before += size;
  }
  throw new Obstacle(`${node.name} has no output ${output}`);
}

function attrsOf(node: NodeDef, opDef: OpDef): (readonly [string, AttrValue])[] {
  for (const name of node.attr.keys()) {
    const isKnown =
      !name.startsWith("_") ||
      name.startsWith(PRIVATE_ATTR_PREFIX) ||
      name === COLOCATION_ATTR ||
      RECORDED.has(name);
    if (!isKnown) throw new Obstacle(`${node.name} has the internal attribute ${name}`);
  }
  const implied = new Set(
    opDef.inputArg.flatMap(({ typeAttr, numberAttr, typeListAttr }) => [typeAttr, numberAttr, typeListAttr]),
  );
  return opDef.attr.flatMap(({ name, defaultValue }) => {
    const value = node.attr.get(name);
    if (value === undefined || implied.has(name)) return [];
    if (value.value?.$case === "tensor" && node.op !== "Const")
      throw new Obstacle(`${node.name} has a tensor as an attribute`);
    if (value.value?.$case === "func") throw new Obstacle("it calls functions");
    if (value.value?.$case === "list" && value.value.value.func.length > 0) {
      throw new Obstacle("it calls functions");
    }
    return defaultValue !== undefined && isSame(value, defaultValue) ? [] : [[name, value] as const];
  });
}

function isSame(one: AttrValue, other: AttrValue): boolean {
  const [a, b] = [AttrValue.encode(one).finish(), AttrValue.encode(other).finish()];
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** A node that also waits for those that it is colocated with, so that they have variables before it. */
function afterLeaders(node: NodeDef): NodeDef {
  const leaders = colocatedNodes(node.attr).filter((leader) => leader !== node.name);
  const waited = leaders.map((leader) => `^${leader}`);
  return waited.length === 0 ? node : { ...node, input: [...node.input, ...waited] };
}

/** The nodes that scopes of colocation name; in both languages the scopes also take over their groups and device. */
function leadersOf(node: NodeDef, made: ReadonlyMap<string, Statement>): readonly Statement[] {
  const groups = colocationGroups(node.attr);
  if (groups.length === 1 && groups[0] === colocationGroup(node.name)) return [];
  return groups.map((group) => {
    const leader = made.get(nodeOfGroup(group) ?? "");
    const ofLeader = leader ? colocationGroups(leader.node.attr) : [];
    const isPlain =
      leader !== undefined &&
      ofLeader.every((other) => groups.includes(other)) &&
      (ofLeader.length === 0 || ofLeader.includes(group)) &&
      (leader.node.device === "" || leader.node.device === node.device);
    if (!isPlain) throw new Obstacle(`${node.name} is colocated with a node that is placed differently`);
    return leader;
  });
}

/** Variables named after nodes. */
class VariableNames {
  readonly #taken: Set<string>;

  constructor(reserved: ReadonlySet<string>) {
    this.#taken = new Set(reserved);
  }

  of(node: string): string {
    const base = node.replace(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d)|^_+(?=\d)/, "n_");
    let name = base;
    for (let number = 1; this.#taken.has(name); number++) name = `${base}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

/**
 * Consecutive statements that share scopes. A statement with control inputs has a block of its own: in a scope with
 * several, TensorFlow leaves the control input out where another node of the scope implies it.
 */
export interface Block {
  readonly device: string;
  readonly controls: readonly Statement[];
  readonly colocatedWith: readonly Statement[];
  readonly statements: Statement[];
}

/** The blocks of a program, in order. */
export function blocksOf(statements: readonly Statement[]): Block[] {
  const blocks: Block[] = [];
  for (const statement of statements) {
    const { node, controls, colocatedWith } = statement;
    const last = blocks.at(-1);
    const fits =
      last !== undefined &&
      last.device === node.device &&
      last.colocatedWith.length === colocatedWith.length &&
      last.colocatedWith.every((leader, index) => leader === colocatedWith[index]) &&
      last.controls.length + controls.length === 0;
    if (fits) last.statements.push(statement);
    else blocks.push({ device: node.device, controls, colocatedWith, statements: [statement] });
  }
  return blocks;
}
