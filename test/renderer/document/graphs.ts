/** Small documents for tests, with ops as TensorFlow defines them. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { EMPTY_RUN_CONFIGS, type GraphDocument, type Point } from "../../../renderer/document/model.js";
import { apply } from "../../../renderer/document/operations.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { tensorOfText } from "../../../renderer/document/values.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { type DType, dataTypeOf } from "../../../worker-runtime/protocol/dtype.js";

export const lookup: OpLookup = (op) => bundledOpRegistry().get(op);

export function type(dtype: DType): AttrValue {
  return { value: { $case: "type", value: dataTypeOf(dtype) } };
}

export function node(
  name: string,
  op: string,
  input: string[] = [],
  attr: Record<string, AttrValue> = {},
  device = "",
): NodeDef {
  return { ...NodeDef.fromPartial({ name, op, device }), input, attr: new Map(Object.entries(attr)) };
}

export function constant(name: string, text: string, dtype: DType = "float32"): NodeDef {
  return node(name, "Const", [], {
    dtype: type(dtype),
    value: { value: { $case: "tensor", value: tensorOfText(text, dtype) } },
  });
}

export function placeholder(name: string, dtype: DType = "float32"): NodeDef {
  return node(name, "Placeholder", [], {
    dtype: type(dtype),
    shape: { value: { $case: "shape", value: { dim: [], unknownRank: true } } },
  });
}

export function binary(
  name: string,
  op: string,
  left: string,
  right: string,
  dtype: DType = "float32",
): NodeDef {
  return node(name, op, [left, right], { T: type(dtype) });
}

export function documentOf(nodes: readonly NodeDef[], changes: Partial<GraphDocument> = {}): GraphDocument {
  const layout = new Map<string, Point>(nodes.map(({ name }, index) => [name, { x: index * 220, y: 0 }]));
  return {
    id: "test",
    name: "test",
    kind: "meta_graph",
    format: "text",
    metaGraph: MetaGraphDef.fromPartial({ graphDef: {} }),
    nodes: new Map(nodes.map((one) => [one.name, one])),
    layout,
    ...EMPTY_RUN_CONFIGS,
    cluster: [],
    annotations: [],
    ...changes,
  };
}

/** a = 3, b = 2, x = a + b, y = a * b, z = x + y. */
export function welcome(): GraphDocument {
  return documentOf([
    constant("a", "3"),
    constant("b", "2"),
    binary("x", "AddV2", "a", "b"),
    binary("y", "Mul", "a", "b"),
    binary("z", "AddV2", "x", "y"),
  ]);
}

/** The document after an edit that has to be possible. */
export function edited(document: GraphDocument, result: EditResult): GraphDocument {
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  return apply(document, result.transaction.operations);
}

/** The reason for which an edit has to be refused. */
export function reasonOf(result: EditResult): string {
  if (result.ok) throw new Error(`not refused: ${result.transaction.label}`);
  return result.reason;
}

export function dtypeAttr(document: GraphDocument, name: string, attr = "T"): DataType {
  const value = document.nodes.get(name)?.attr.get(attr)?.value;
  return value?.$case === "type" ? value.value : DataType.DT_INVALID;
}
