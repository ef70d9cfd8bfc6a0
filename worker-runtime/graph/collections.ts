import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import {
  CollectionDef,
  MetaGraphDef,
  MetaGraphDef_MetaInfoDef,
} from "../../protos/generated/tensorflow/meta_graph.js";
import { VariableDef } from "../../protos/generated/tensorflow/variable.js";
import { OP_LIST_TENSORFLOW_VERSION } from "./op-list.js";
import type { OpRegistry } from "./op-registry.js";
import { Operation, Output } from "./operation.js";

/** A variable as TensorFlow's collections list it. */
export interface VariableItem {
  readonly variableDef: VariableDef;
}

/** An item of a collection: a node, tensor, text, number or variable. All items of a collection are of one kind. */
export type CollectionItem = Operation | Output | string | number | bigint | VariableItem;

function collectionDef(items: readonly CollectionItem[]): CollectionDef {
  const [first] = items;
  if (typeof first === "string") {
    // Python writes a collection of strings as bytes_list; it reads either.
    const value = items.map((item) => getTextEncoding().encodeUtf8(String(item)));
    return CollectionDef.fromPartial({ kind: { $case: "bytesList", value: { value } } });
  }
  if (typeof first === "number" && !Number.isInteger(first)) {
    return CollectionDef.fromPartial({ kind: { $case: "floatList", value: { value: items.map(Number) } } });
  }
  if (typeof first === "number" || typeof first === "bigint") {
    const value = items.map((item) => BigInt(item as number | bigint));
    return CollectionDef.fromPartial({ kind: { $case: "int64List", value: { value } } });
  }
  if (first instanceof Operation || first instanceof Output) {
    const value = items.map((item) => (item as Operation | Output).name);
    return CollectionDef.fromPartial({ kind: { $case: "nodeList", value: { value } } });
  }
  const value = items.map((item) => VariableDef.encode((item as VariableItem).variableDef).finish());
  return CollectionDef.fromPartial({ kind: { $case: "bytesList", value: { value } } });
}

/** Collections as stored in a MetaGraphDef. */
export function collectionDefs(
  collections: ReadonlyMap<string, readonly CollectionItem[]>,
): Map<string, CollectionDef> {
  return new Map([...collections].map(([name, items]) => [name, collectionDef(items)]));
}

/** A MetaGraphDef around a graph, with the definitions of the ops that it uses. */
export function metaGraphOf(
  graphDef: GraphDef,
  registry: OpRegistry,
  collections: ReadonlyMap<string, CollectionDef>,
): MetaGraphDef {
  const functions = new Set((graphDef.library?.function ?? []).map((f) => f.signature?.name));
  const bodies = (graphDef.library?.function ?? []).flatMap((f) => f.nodeDef);
  const used = new Set(
    [...graphDef.node, ...bodies].map((node) => node.op).filter((op) => !functions.has(op)),
  );
  const op = [...used].sort().flatMap((name) => registry.get(name) ?? []);
  return {
    ...MetaGraphDef.fromPartial({}),
    metaInfoDef: {
      ...MetaGraphDef_MetaInfoDef.fromPartial({ tensorflowVersion: OP_LIST_TENSORFLOW_VERSION }),
      strippedOpList: { op },
    },
    graphDef,
    collectionDef: new Map(collections),
  };
}
