import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";

const NO_LABELS: readonly string[] = [];
const known = new WeakMap<ReadonlyMap<string, NodeDef>, ReadonlyMap<number, readonly string[]>>();

/** Names of classes in the graph: the only constant that is a list of as many texts as there are classes. Pure. */
export function labelsInGraph(nodes: ReadonlyMap<string, NodeDef>, classes: number): readonly string[] {
  const before = known.get(nodes);
  if (before) return before.get(classes) ?? NO_LABELS;
  const found = new Map<number, readonly string[]>();
  for (const { op, attr } of nodes.values()) {
    const value = attr.get("value")?.value;
    if (op !== "Const" || value?.$case !== "tensor") continue;
    const { stringVal, tensorShape } = value.value;
    if (tensorShape?.dim.length !== 1 || stringVal.length < 2) continue;
    // If two lists have one length, neither is known to be the names.
    found.set(
      stringVal.length,
      found.has(stringVal.length) ? NO_LABELS : stringVal.map((text) => getTextEncoding().decodeUtf8(text)),
    );
  }
  known.set(nodes, found);
  return found.get(classes) ?? NO_LABELS;
}
