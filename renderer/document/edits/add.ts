import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../../protos/generated/tensorflow/op_def.js";
import { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { Draft, followTypes } from "../follow-types.js";
import { type GraphDocument, MISSING_INPUT, type Point } from "../model.js";
import type { Operation } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { uniqueName } from "../tensor-names.js";
import { convertTensor } from "../values.js";
import { type InputEnd, type OutputEnd, whyNotConnect, withInput } from "./connect.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.add;

/** An end of an edge that a new node is to be connected to. */
export type ConnectFrom =
  | { readonly type: "output"; readonly end: OutputEnd }
  | { readonly type: "input"; readonly end: InputEnd };

/** A node of the op with every attribute at its default and every input missing. */
export function newNode(name: string, opDef: OpDef): NodeDef {
  const attr = new Map<string, AttrValue>();
  for (const definition of opDef.attr) {
    const value = definition.defaultValue ?? startValue(opDef, definition);
    if (value) attr.set(definition.name, value);
  }
  const bare = NodeDef.fromPartial({ name, op: opDef.name });
  const node: NodeDef = { ...bare, attr };
  const count = signatureOf(node, () => opDef)?.inputs.length ?? 0;
  return { ...node, input: new Array<string>(count).fill(MISSING_INPUT) };
}

/** A value for an attribute that has no default, or none if the user must choose. */
function startValue(opDef: OpDef, definition: OpDef_AttrDef): AttrValue | undefined {
  const least = definition.hasMinimum ? Number(definition.minimum) : 0;
  switch (definition.type) {
    case "type":
      return { value: { $case: "type", value: preferredType(opDef, definition) } };
    case "int": {
      const counts = opDef.inputArg.some(({ numberAttr }) => numberAttr === definition.name);
      return { value: { $case: "i", value: BigInt(counts ? Math.max(least, 2) : least) } };
    }
    case "float":
      return { value: { $case: "f", value: 0 } };
    case "bool":
      return { value: { $case: "b", value: false } };
    case "string": {
      const allowed = definition.allowedValues?.value;
      const first = allowed?.$case === "list" ? allowed.value.s[0] : undefined;
      return { value: { $case: "s", value: first ?? new Uint8Array(0) } };
    }
    case "shape":
      return { value: { $case: "shape", value: { dim: [], unknownRank: false } } };
    case "tensor":
      return { value: { $case: "tensor", value: scalarZero() } };
    case "list(type)": {
      const type = new Array<DataType>(least).fill(preferredType(opDef, definition));
      return { value: { $case: "list", value: { ...emptyList(), type } } };
    }
    case "list(shape)": {
      const shape = Array.from({ length: least }, () => ({ dim: [], unknownRank: false }));
      return { value: { $case: "list", value: { ...emptyList(), shape } } };
    }
    default:
      return definition.type.startsWith("list(")
        ? { value: { $case: "list", value: emptyList() } }
        : undefined;
  }
}

function emptyList() {
  return { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
}

function preferredType(opDef: OpDef, definition: OpDef_AttrDef): DataType {
  const allowed = definition.allowedValues?.value;
  const types = allowed?.$case === "list" ? allowed.value.type : [];
  if (opDef.inputArg.some(({ isRef, typeAttr }) => isRef && typeAttr === definition.name))
    return DataType.DT_FLOAT;
  return types.length === 0 || types.includes(DataType.DT_FLOAT)
    ? DataType.DT_FLOAT
    : (types[0] ?? DataType.DT_FLOAT);
}

function scalarZero(): TensorProto {
  return TensorProto.fromPartial({
    dtype: DataType.DT_FLOAT,
    tensorShape: { dim: [], unknownRank: false },
    floatVal: [0],
  });
}

/** Adds a node of an op, connected to `connectFrom` by the first port that fits. */
export function addNode(
  document: GraphDocument,
  lookup: OpLookup,
  op: string,
  position: Point,
  connectFrom?: ConnectFrom,
): EditResult {
  const opDef = lookup(op);
  if (!opDef) return refused(words.noOp({ op }));
  const name = uniqueName(op.replace(/^_+/, ""), document.nodes);
  let node = newNode(name, opDef);
  const changes = new Draft(document.nodes);
  if (connectFrom) {
    const withNew = { nodes: new Map(document.nodes).set(name, node) };
    if (connectFrom.type === "output") {
      const input = fittingInput(withNew, lookup, connectFrom.end, name);
      if (input !== undefined) {
        node = withInput(node, lookup, connectFrom.end, input);
        const draft = new Draft(withNew.nodes);
        draft.set(node);
        followTypes(draft, lookup, [name], () => []);
        node = draft.get(name) ?? node;
      }
    } else {
      node = typedFor(withNew, lookup, node, connectFrom.end) ?? node;
      const consumer = document.nodes.get(connectFrom.end.node);
      const output = fittingOutput(
        { nodes: new Map(document.nodes).set(name, node) },
        lookup,
        name,
        connectFrom.end,
      );
      if (consumer && output !== undefined) {
        changes.set(withInput(consumer, lookup, { node: name, output }, connectFrom.end.input));
      }
    }
  }
  const operations: Operation[] = [
    {
      type: "nodes",
      changes: [
        ...[...changes.replaced()].map(([before, after]) => ({ before, after, index: 0 })),
        { after: node, index: document.nodes.size },
      ],
    },
    { type: "layout", moves: [{ node: name, to: position }] },
  ];
  return edit({ label: words.label({ node: name }), operations, select: [name] });
}

/** The first input that accepts the output. */
export function fittingInput(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  from: OutputEnd,
  node: string,
): InputEnd["input"] | undefined {
  const def = document.nodes.get(node);
  if (!def) return undefined;
  if (from.output < 0) return "control";
  const signature = signatureOf(def, lookup);
  const inputs: InputEnd["input"][] = (signature?.inputs ?? []).map(({ index }) => index);
  if (signature?.growing) inputs.push("grow");
  return inputs.find((input) => whyNotConnect(document, lookup, from, { node, input }) === undefined);
}

/** The first output that the input accepts; -1: the control output. */
export function fittingOutput(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  node: string,
  to: InputEnd,
): number | undefined {
  if (to.input === "control") return -1;
  const def = document.nodes.get(node);
  const outputs = def ? (signatureOf(def, lookup)?.outputs ?? []) : [];
  return outputs.find(
    ({ index }) => whyNotConnect(document, lookup, { node, output: index }, to) === undefined,
  )?.index;
}

/** The new node with the type attribute of its first output set to what the input accepts. */
function typedFor(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  node: NodeDef,
  to: InputEnd,
): NodeDef | undefined {
  const consumer = document.nodes.get(to.node);
  const slot =
    consumer && typeof to.input === "number" ? signatureOf(consumer, lookup)?.inputs[to.input] : undefined;
  const attrName = signatureOf(node, lookup)?.outputs[0]?.arg.typeAttr;
  if (!slot || !attrName || slot.dtype === DataType.DT_INVALID) return undefined;
  const attr = new Map(node.attr).set(attrName, { value: { $case: "type", value: slot.dtype } });
  const value = attr.get("value")?.value;
  if (value?.$case === "tensor") {
    attr.set("value", { value: { $case: "tensor", value: convertTensor(value.value, slot.dtype) } });
  }
  return { ...node, attr };
}
