/** Which parameter server holds which variable. */
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { TaskName } from "../../../cluster/device-name.js";
import { dtypeOf, itemSize } from "../../../protocol/dtype.js";
import { isTable, isVariable } from "../../initialisers.js";
import { knownSize, partialShapeFromProto } from "../../shape.js";

/**
 * The tasks of the variables and tables that have no device: each goes to the one that has the fewest bytes of them so far, the
 * first of those. Tables, and variables of unknown size, count as nothing.
 */
export function serversByBytes(
  { node }: Pick<GraphDef, "node">,
  servers: readonly TaskName[],
): ReadonlyMap<string, TaskName> {
  const loads = servers.map((task) => ({ task, bytes: 0 }));
  const chosen = new Map<string, TaskName>();
  for (const one of node) {
    if ((!isVariable(one) && !isTable(one)) || one.device !== "") continue;
    const least = loads.reduce<(typeof loads)[number] | undefined>(
      (best, load) => (best === undefined || load.bytes < best.bytes ? load : best),
      undefined,
    );
    if (!least) return chosen;
    least.bytes += bytesOf(one);
    chosen.set(one.name, least.task);
  }
  return chosen;
}

function bytesOf({ attr }: NodeDef): number {
  const dtype = attr.get("dtype")?.value;
  const shape = attr.get("shape")?.value;
  if (dtype?.$case !== "type" || shape?.$case !== "shape") return 0;
  return (knownSize(partialShapeFromProto(shape.value)) ?? 0) * itemSize(dtypeOf(dtype.value));
}
