/** Which ops the differential tests compare, and of which dtypes: for the table of ops. */
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { type DType, dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import { coveredOtherwise } from "./covered-otherwise.js";
import { nodeDefOf } from "./op-case.js";
import { makePlan } from "./plan.js";
import { readSettings } from "./settings.js";
import { specsByFamily } from "./specs/index.js";

/** The compared cases of an op. */
export interface Proven {
  /** The dtypes that its type attributes are given; empty for an op without any. */
  readonly dtypes: readonly DType[];
  /** Whether programs of several steps compare it, as it keeps or changes something. */
  readonly byProgram: boolean;
  readonly notes: readonly string[];
}

/** Every op of a case of the short form, by name. */
export function provenOps(): ReadonlyMap<string, Proven> {
  const byOp = new Map<string, { dtypes: Set<DType>; byProgram: boolean; notes: Set<string> }>();
  const add = (node: Pick<NodeDef, "op" | "attr">, byProgram: boolean) => {
    const one = byOp.get(node.op) ?? { dtypes: new Set(), byProgram, notes: new Set() };
    byOp.set(node.op, one);
    for (const dtype of mainDTypes(node.attr)) one.dtypes.add(dtype);
    return one;
  };
  const { families } = makePlan(readSettings({}), coveredOtherwise);
  for (const one of families.flatMap(({ nodes }) => nodes)) {
    if (one.noKernel === undefined) add(nodeDefOf(one), false);
  }
  for (const { op, note } of Object.values(specsByFamily).flat()) {
    if (note !== undefined) byOp.get(op)?.notes.add(note);
  }
  for (const { build } of families.flatMap(({ programs }) => programs)) {
    const { graph } = build("");
    const bodies = graph.library?.function.flatMap(({ nodeDef }) => nodeDef) ?? [];
    for (const node of [...graph.node, ...bodies]) add(node, true);
  }
  return new Map(
    [...byOp].map(([op, { dtypes, byProgram, notes }]) => [
      op,
      { dtypes: [...dtypes], byProgram, notes: [...notes] },
    ]),
  );
}

/** The dtypes of a node's values; those of indices and shapes only where it has no others. */
function mainDTypes(attrs: NodeDef["attr"]): DType[] {
  const types = new Map<string, readonly DType[]>();
  for (const [name, { value }] of attrs) {
    const list = value?.$case === "type" ? [value.value] : value?.$case === "list" ? value.value.type : [];
    if (list.length > 0) types.set(name, list.map(dtypeOf));
  }
  const main = ["dtype", "SrcT", "Tparams", "Ta", "T", "out_type"].find((name) => types.has(name));
  return main === undefined ? [...types.values()].flat() : [...(types.get(main) ?? [])];
}
