/** Nodes put between an input and what it reads: the fixes of dtypes and shapes that do not fit. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { outputType } from "../follow-types.js";
import type { GraphDocument, Point } from "../model.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput, uniqueName } from "../tensor-names.js";
import { tensorOfText } from "../values.js";
import { newNode } from "./add.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.insertBefore;

/** How far below the line between both ends the new node lies, so that it covers no edge. */
const BELOW = 92;

interface Place {
  readonly consumer: NodeDef;
  /** The output that the input reads, as in `NodeDef.input`. */
  readonly text: string;
  readonly producer: string;
  readonly dtype: DataType;
}

/** An input that is connected to an output of known dtype. */
function placeOf(document: GraphDocument, lookup: OpLookup, name: string, input: number): Place | string {
  const consumer = document.nodes.get(name);
  const text = consumer?.input[input] ?? "";
  const reference = parseInput(text);
  if (!consumer || reference.kind !== "data") return words.notConnected;
  const dtype = outputType(document.nodes, lookup, reference.node, reference.output);
  if (dtype === DataType.DT_INVALID) return words.dtypesNotKnown;
  return { consumer, text, producer: reference.node, dtype };
}

/**
 * Adds nodes, the first of which reads what the input read and gives its first output to it.
 *
 * @param added the others are inputs of the first, placed below it
 */
function insert(
  document: GraphDocument,
  { consumer, producer }: Place,
  input: number,
  added: readonly [NodeDef, ...NodeDef[]],
): EditResult {
  const after = { ...consumer, input: consumer.input.with(input, added[0].name) };
  const source = document.layout.get(producer);
  const target = document.layout.get(consumer.name);
  // Without positions the window arranges the new nodes with the others.
  const middle: Point | undefined = source &&
    target && { x: (source.x + target.x) / 2, y: Math.max(source.y, target.y) + BELOW };
  const moves = middle
    ? added.map(({ name }, index) => ({ node: name, to: { x: middle.x, y: middle.y + index * BELOW } }))
    : [];
  return edit({
    label: words.label({ added: added[0].name, node: consumer.name }),
    operations: [
      {
        type: "nodes",
        changes: [
          { before: consumer, after, index: 0 },
          ...added.map((node, number) => ({ after: node, index: document.nodes.size + number })),
        ],
      },
      ...(moves.length > 0 ? [{ type: "layout" as const, moves }] : []),
    ],
  });
}

/** Inserts a Cast before an input whose producer has a dtype that the input does not accept. */
export function insertCast(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  input: number,
): EditResult {
  const place = placeOf(document, lookup, name, input);
  if (typeof place === "string") return refused(place);
  const wanted = signatureOf(place.consumer, lookup)?.inputs[input]?.dtype ?? DataType.DT_INVALID;
  if (wanted === DataType.DT_INVALID) return refused(words.dtypesNotKnown);
  const cast = made(document, lookup, "Cast", place, [], { SrcT: place.dtype, DstT: wanted });
  return cast ? insert(document, place, input, [cast]) : refused(texts.document.edits.common.opsNotLoaded);
}

/** Inserts a Reshape to these sizes, of which one may be -1: whatever is left. */
export function insertReshape(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  input: number,
  sizes: readonly number[],
): EditResult {
  return insertWithVector(
    document,
    lookup,
    name,
    input,
    { op: "Reshape", argument: "shape", type: "Tshape" },
    sizes,
  );
}

/** Inserts a Transpose that puts the dimensions into this order. */
export function insertTranspose(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  input: number,
  order: readonly number[],
): EditResult {
  return insertWithVector(
    document,
    lookup,
    name,
    input,
    { op: "Transpose", argument: "perm", type: "Tperm" },
    order,
  );
}

function insertWithVector(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  input: number,
  { op, argument, type }: { readonly op: string; readonly argument: string; readonly type: string },
  vector: readonly number[],
): EditResult {
  const place = placeOf(document, lookup, name, input);
  if (typeof place === "string") return refused(place);
  const constDef = lookup("Const");
  const types = { T: place.dtype, [type]: DataType.DT_INT32 };
  const bare = made(document, lookup, op, place, [""], types);
  if (!bare || !constDef) return refused(texts.document.edits.common.opsNotLoaded);
  const value: AttrValue = {
    value: { $case: "tensor", value: tensorOfText(`[${vector.join(", ")}]`, "int32") },
  };
  const sizes = newNode(uniqueName(`${bare.name}/${argument}`, document.nodes), constDef);
  const constant: NodeDef = {
    ...sizes,
    device: bare.device,
    attr: new Map(sizes.attr).set("dtype", typeAttr(DataType.DT_INT32)).set("value", value),
  };
  return insert(document, place, input, [{ ...bare, input: [place.text, constant.name] }, constant]);
}

function typeAttr(value: DataType): AttrValue {
  return { value: { $case: "type", value } };
}

/** A node where the consumer is, which reads what it read. */
function made(
  document: GraphDocument,
  lookup: OpLookup,
  op: string,
  { consumer, text }: Place,
  others: readonly string[],
  types: Readonly<Record<string, DataType>>,
): NodeDef | undefined {
  const opDef = lookup(op);
  if (!opDef) return undefined;
  const bare = newNode(uniqueName(op, document.nodes), opDef);
  const attr = new Map(bare.attr);
  for (const [name, type] of Object.entries(types)) attr.set(name, typeAttr(type));
  return { ...bare, device: consumer.device, input: [text, ...others], attr };
}
