/** The table of ops in the portable engine's README, from what the differential tests prove. */
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import type { KernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/registry.js";
import { type DType, dtypes } from "../../../../worker-runtime/protocol/dtype.js";
import { coveredOtherwise } from "../differential/covered-otherwise.js";
import { type Proven, provenOps } from "../differential/proven-ops.js";
import { loweringText } from "./lowered-ops.js";

export const TABLE_BEGIN = "<!-- Made by: npx tsx build/op-table.ts -->";
export const TABLE_END = "<!-- End of the table of ops -->";

/** dtypes that say nothing about an op's values: handles and variants. */
const opaque: ReadonlySet<DType> = new Set(["resource", "variant"]);

const dtypesText = (list: readonly DType[]): string =>
  dtypes.filter((dtype) => list.includes(dtype) && !opaque.has(dtype)).join(", ");

/** A row for the ops of which the same is proven. */
interface Row {
  readonly dtypes: string;
  readonly how: string;
  /** The dtypes that are expressed in ONNX, or why none is. */
  readonly lowering: string;
  readonly note: string;
  readonly ops: string[];
}

function rows(
  covered: ReadonlyMap<string, Proven>,
  registered: readonly string[],
  kernels: KernelRegistry,
): Row[] {
  const byKind = new Map<string, Row>();
  for (const op of registered) {
    const one = covered.get(op);
    if (one === undefined) continue;
    const row = {
      dtypes: dtypesText(one.dtypes),
      how: one.byProgram ? "programs" : "cases",
      lowering: loweringText(op, kernels),
      note: one.notes.join("; "),
      ops: [],
    };
    const key = JSON.stringify([row.dtypes, row.how, row.lowering, row.note]);
    const known = byKind.get(key) ?? row;
    byKind.set(key, known);
    known.ops.push(op);
  }
  return [...byKind.values()].sort((a, b) => b.ops.length - a.ops.length || (a.dtypes < b.dtypes ? -1 : 1));
}

/** The section between the markers, with the markers. */
export function opTable(): string {
  const kernels = createKernelRegistry();
  const registered = kernels.ops();
  const covered = provenOps();
  const isOther = (op: string) => coveredOtherwise[`${op} *`] !== undefined;
  const proven = registered.filter((op) => covered.has(op) && !isOther(op));
  const table = rows(covered, proven, kernels).map(
    ({ dtypes: shown, how, lowering, note, ops }) =>
      `| ${shown || "–"} | ${how} | ${lowering} | ${ops.join(", ")} | ${note} |`,
  );
  return [
    TABLE_BEGIN,
    "",
    `The portable engine has ${registered.length} ops. For ${proven.length} of them and these dtypes the same graphs run on a real ` +
      "TensorFlow server and on ours in every test run, and values, dtypes, shapes and error codes must be equal: as generated " +
      "cases of single nodes, or, where an op keeps or changes something, as programs of several steps. The others " +
      `(${registered.filter(isOther).join(", ")}) run in whole Python programs on both engines, are made by a master or an executor itself, or by no client any more.`,
    "",
    "A lowering expresses an op in ONNX, for these dtypes; for others, and where none is named, its kernel runs. What changes " +
      "variables is lowered as an update.",
    "",
    "| dtypes compared | by | lowering | ops | notes |",
    "| --- | --- | --- | --- | --- |",
    ...table,
    "",
    TABLE_END,
  ].join("\n");
}
