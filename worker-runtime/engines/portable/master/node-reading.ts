import { hostname } from "node:os";
import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { attrProblem } from "../../../graph/attr-validation.js";
import { parseEdge } from "../../../graph/edge.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { invalidArgument, notFound } from "../../../protocol/status.js";
import { mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { GraphNode, type TensorRef } from "./graph-node.js";

/** Names that clients may give: those with a leading underscore are the master's own. */
const NODE_NAME = /^[A-Za-z0-9.][A-Za-z0-9_./>-]*$/;

/**
 * No list argument of an op is longer. A number attribute is taken from the graph as it is, so without a limit one node
 * of a few bytes would make us list billions of outputs.
 */
const MAX_LIST_LENGTH = 100_000;

/**
 * Parses the nodes of a graph and checks each by itself: its name, its op, its attributes. Defaults of the op are
 * filled in, so that a worker with another op list computes the same.
 * @throws TensorFlowError NOT_FOUND naming every unknown op; INVALID_ARGUMENT in TensorFlow's words.
 */
export function* readNodes(defs: readonly NodeDef[], ops: OpRegistry): PausingWork<GraphNode[]> {
  checkOps(defs, ops);
  const completed: CompletedAttrs = new Map();
  return yield* mapped(defs, (def) => readNode(def, ops.require(def.op), completed), NODES_PER_PAUSE);
}

/** All unknown ops are named, not only the first. */
function checkOps(defs: readonly NodeDef[], ops: OpRegistry): void {
  const unknown = defs.filter(({ op }) => !ops.has(op));
  const [first] = unknown;
  if (first === undefined) {
    return;
  }
  const others = [...new Set(unknown.map(({ op }) => op))].slice(1);
  const also = others.length === 0 ? "" : ` Not registered either: ${others.join(", ")}.`;
  throw notFound(
    `Op type not registered '${first.op}' in binary running on ${hostname()}. Make sure the Op and Kernel are ` +
      `registered in the binary running in this process.${also}\n\t [[{{node ${first.name}}}]]`,
  );
}

/** By attributes that nodes share: the first node that has them, with the defaults of its op. They are checked once. */
type CompletedAttrs = Map<NodeDef["attr"], GraphNode>;

function readNode(def: NodeDef, opDef: OpDef, completed: CompletedAttrs): GraphNode {
  if (!NODE_NAME.test(def.name)) {
    throw invalidArgument(`Illegal op name '${def.name}'${nodeMark(def)}`);
  }
  const { inputs, controls, isCanonical } = readInputs(def);
  const known = completed.get(def.attr);
  const like = known?.opDef === opDef ? known : undefined;
  const attr = like?.attrs ?? completeAttrs(def, opDef);
  const node = new GraphNode(
    attr === def.attr ? def : { ...def, attr },
    opDef,
    inputs,
    controls,
    isCanonical ? def.input : undefined,
    like,
  );
  if (like === undefined) {
    completed.set(def.attr, node);
  }
  return node;
}

interface ReadInputs {
  readonly inputs: readonly TensorRef[];
  readonly controls: readonly string[];
  /** Whether they are written as TensorFlow writes them. */
  readonly isCanonical: boolean;
}

const NO_CONTROLS: readonly string[] = [];

function readInputs(def: NodeDef): ReadInputs {
  if (def.input.every((text) => NODE_NAME.test(text))) {
    // As most are: the first outputs of nodes. A list that is pushed to has room for 17, so this one is mapped.
    const inputs = def.input.map((node) => ({ node, output: 0 }));
    return { inputs, controls: NO_CONTROLS, isCanonical: true };
  }
  const inputs: TensorRef[] = [];
  const controls: string[] = [];
  for (const text of def.input) {
    const edge = parseEdge(text);
    if (edge.control) {
      controls.push(edge.node);
    } else if (controls.length > 0) {
      throw invalidArgument(`All control inputs must follow all data inputs${nodeMark(def)}`);
    } else {
      inputs.push({ node: edge.node, output: edge.output });
    }
  }
  return { inputs, controls: [...new Set(controls)], isCanonical: false };
}

/** A node's attributes with the defaults of its op; the same object if it lacks none. */
function completeAttrs(def: NodeDef, opDef: OpDef): NodeDef["attr"] {
  let attr: Map<string, AttrValue> | undefined;
  for (const attrDef of opDef.attr) {
    const value = def.attr.get(attrDef.name);
    if (value !== undefined) {
      checkAttr(def, opDef, attrDef, value);
    } else if (attrDef.defaultValue !== undefined) {
      attr ??= new Map(def.attr);
      attr.set(attrDef.name, attrDef.defaultValue);
    } else if (isInSignature(opDef, attrDef.name)) {
      throw notFound(`No attr named '${attrDef.name}' in NodeDef:${nodeMark(def)}`);
    } else {
      throw invalidArgument(
        `NodeDef missing attr '${attrDef.name}' from Op<name=${opDef.name}>${nodeMark(def)}`,
      );
    }
  }
  return attr ?? def.attr;
}

function checkAttr(def: NodeDef, opDef: OpDef, attrDef: OpDef_AttrDef, value: AttrValue): void {
  const problem = attrProblem(attrDef, value);
  if (problem !== undefined) {
    throw invalidArgument(`Value for attr ${problem}; NodeDef: {{node ${def.name}}}; Op<name=${opDef.name}>`);
  }
  const length = value.value?.$case === "i" && isInSignature(opDef, attrDef.name) ? value.value.value : 0n;
  if (length < 0n || length > MAX_LIST_LENGTH) {
    throw invalidArgument(
      `Value for attr '${attrDef.name}' of ${length} is not a length from 0 to ${MAX_LIST_LENGTH}${nodeMark(def)}`,
    );
  }
}

/** Whether an attribute decides how many inputs or outputs a node has, or their types. */
function isInSignature(opDef: OpDef, attr: string): boolean {
  const uses = (arg: OpDef["inputArg"][number]) =>
    arg.typeAttr === attr || arg.numberAttr === attr || arg.typeListAttr === attr;
  return opDef.inputArg.some(uses) || opDef.outputArg.some(uses);
}

/** TensorFlow's mark of the node that an error is about. */
function nodeMark(def: NodeDef): string {
  return `\n\t [[{{node ${def.name}}}]]`;
}
