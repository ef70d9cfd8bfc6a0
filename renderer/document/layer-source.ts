/** Finds the output to which an added layer block is connected. Pure. */
import { DataType } from "../../protos/generated/tensorflow/types.js";
import type { LayerSource } from "../../worker-runtime/graph/layers/index.js";
import { dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { outputType } from "./follow-types.js";
import type { GraphDocument } from "./model.js";
import type { ShapeMap } from "./shapes.js";
import type { OpLookup } from "./signature.js";
import { tensorName } from "./tensor-names.js";
import { wiringOf } from "./wiring.js";

/** Layers compute with these. */
const SOURCE_TYPES: ReadonlySet<DataType> = new Set([
  ...[DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_INT64],
]);

/**
 * The result of what is selected, or of the whole graph if nothing is: the first output of the last node that no other of
 * them reads. Undefined if there is none that a layer could take.
 */
export function layerSource(
  { nodes }: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  selection: ReadonlySet<string>,
): LayerSource | undefined {
  const { outgoing } = wiringOf(nodes);
  const isMeant = (name: string) => selection.size === 0 || selection.has(name);
  const isResult = (name: string) =>
    SOURCE_TYPES.has(outputType(nodes, lookup, name, 0)) &&
    !outgoing.get(name)?.some(({ to, output }) => output >= 0 && isMeant(to));
  const name = [...nodes.keys()].findLast((one) => isMeant(one) && isResult(one));
  if (name === undefined) return undefined;
  return {
    tensor: tensorName(name, 0),
    dtype: dtypeOf(outputType(nodes, lookup, name, 0)),
    shape: shapes.outputs.get(name)?.[0],
    device: nodes.get(name)?.device ?? "",
  };
}
