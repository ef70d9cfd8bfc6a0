/** Arguments and results of a function, added and put in another order in its body (function-body.ts). */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { ARGUMENT, borderIndex, isBorder, RESULT } from "../body-nodes.js";
import { outputType } from "../follow-types.js";
import { type GraphDocument, MISSING_INPUT, type Point } from "../model.js";
import { replaceNodes } from "../operations.js";
import type { OpLookup } from "../signature.js";
import { dataInput, tensorName, uniqueName } from "../tensor-names.js";
import type { OutputEnd } from "./connect.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.functionCalls;

/** Adds an argument after the others. */
export function addArgument(body: GraphDocument, dtype: DataType, position: Point): EditResult {
  const name = uniqueName("argument", body.nodes);
  const attr = attrsOf(body, ARGUMENT, dtype);
  const node = { ...NodeDef.fromPartial({}), name, op: ARGUMENT, input: [], attr };
  return added(body, node, position, words.addArgument({ name }));
}

/**
 * Adds a result after the others.
 *
 * @param from what it gives; undefined: nothing yet, a float
 */
export function addResult(
  body: GraphDocument,
  lookup: OpLookup,
  from: OutputEnd | undefined,
  position: Point,
): EditResult {
  const plain = from?.node
    .split("/")
    .at(-1)
    ?.replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^[^A-Za-z]+/, "");
  const name = uniqueName(plain ? `${plain}_result` : "result", body.nodes);
  const dtype = from ? outputType(body.nodes, lookup, from.node, from.output) : DataType.DT_FLOAT;
  if (from && dtype === DataType.DT_INVALID) {
    return refused(words.typeUnknown({ tensor: tensorName(from.node, from.output) }));
  }
  const input = [from ? dataInput(from.node, from.output) : MISSING_INPUT];
  const node = { ...NodeDef.fromPartial({}), name, op: RESULT, input, attr: attrsOf(body, RESULT, dtype) };
  return added(body, node, position, words.addResult({ name }));
}

function attrsOf({ nodes }: GraphDocument, op: string, dtype: DataType): Map<string, AttrValue> {
  const count = [...nodes.values()].filter((node) => node.op === op).length;
  return new Map<string, AttrValue>([
    ["index", { value: { $case: "i", value: BigInt(count) } }],
    ["T", { value: { $case: "type", value: dtype } }],
  ]);
}

function added(body: GraphDocument, node: NodeDef, position: Point, label: string): EditResult {
  return edit({
    label,
    operations: [
      { type: "nodes", changes: [{ after: node, index: body.nodes.size }] },
      { type: "layout", moves: [{ node: node.name, to: position }] },
    ],
    select: [node.name],
  });
}

/** The arguments, or the results, in their order; those that `name` is among. */
export function borderBeside({ nodes }: Pick<GraphDocument, "nodes">, name: string): readonly NodeDef[] {
  const op = nodes.get(name)?.op;
  return [...nodes.values()]
    .filter((node) => isBorder(node) && node.op === op)
    .toSorted((one, other) => borderIndex(one) - borderIndex(other));
}

/** Moves an argument among the arguments, or a result among the results: -1 to the front, 1 to the back. */
export function moveOnBorder(body: GraphDocument, name: string, by: -1 | 1): EditResult {
  const all = borderBeside(body, name);
  const at = all.findIndex((node) => node.name === name);
  const [node, other] = [all[at], all[at + by]];
  if (!node) return refused(words.notOnBorder({ name }));
  if (!other) return refused(by < 0 ? words.alreadyFirst({ name }) : words.alreadyLast({ name }));
  const label = node.op === ARGUMENT ? words.moveArgument({ name }) : words.moveResult({ name });
  return edit({
    label,
    operations: replaceNodes([
      [node, withIndex(node, other)],
      [other, withIndex(other, node)],
    ]),
    select: [name],
  });
}

function withIndex(node: NodeDef, like: NodeDef): NodeDef {
  const value = { $case: "i", value: BigInt(borderIndex(like)) } as const;
  return { ...node, attr: new Map(node.attr).set("index", { value }) };
}
