/** Which ops are expressed in ONNX, for the table of ops. */
import type { KernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/registry.js";
import {
  createLoweringRegistry,
  createUpdateRegistry,
} from "../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Lowering } from "../../../../worker-runtime/engines/portable/lowering/lowering.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import { type DType, dtypeOf, dtypes } from "../../../../worker-runtime/protocol/dtype.js";
import { whyNotLowered } from "./why-not-lowered.js";

/** Where an op's values have their dtype, in the order of preference. */
const VALUE_ATTRIBUTES = ["dtype", "SrcT", "Tparams", "T"];

const lowerings = createLoweringRegistry();
const updates = createUpdateRegistry();

/** The entry of the table: the dtypes that are lowered, or why none is. */
export function loweringText(op: string, kernels: KernelRegistry): string {
  const pure = dtypesOf(lowerings.of(op));
  if (pure !== undefined) {
    return pure;
  }
  const changed = dtypesOf(updates.of(op));
  if (changed !== undefined) {
    return `as an update: ${changed}`;
  }
  return `– ${reasonOf(op, kernels)}`;
}

/** Pure ops of numbers without a lowering that no reason is given for, and reasons of ops that have one. */
export function wrongReasons(kernels: KernelRegistry): string[] {
  const unexplained = kernels.ops().filter((op) => !isLowered(op) && reasonOf(op, kernels) === undefined);
  const stale = [...whyNotLowered.keys()].filter((op) => isLowered(op) || kernels.of(op).length === 0);
  return [...unexplained, ...stale];
}

function isLowered(op: string): boolean {
  return lowerings.of(op).length + updates.of(op).length > 0;
}

function dtypesOf(list: readonly Pick<Lowering, "types">[]): string | undefined {
  if (list.length === 0) {
    return undefined;
  }
  const all = new Set(list.flatMap(({ types }): readonly DType[] => mainTypes(types)));
  const named = dtypes.filter((dtype) => all.has(dtype));
  return named.length === 0 ? "yes" : named.join(", ");
}

function mainTypes(types: Lowering["types"]): readonly DType[] {
  const attr = VALUE_ATTRIBUTES.find((name) => types[name] !== undefined);
  const chosen = attr === undefined ? Object.values(types)[0] : types[attr];
  // All dtypes that a graph may have are accepted: nothing is computed.
  return chosen === undefined || chosen.length === dtypes.length ? [] : chosen;
}

function reasonOf(op: string, kernels: KernelRegistry): string | undefined {
  const given = whyNotLowered.get(op);
  if (given !== undefined) {
    return given;
  }
  if (kernels.of(op).some(({ kind }) => kind !== "pure")) {
    return "keeps, waits for or passes something on";
  }
  const { inputArg = [], outputArg = [] } = bundledOpRegistry().get(op) ?? {};
  const isText = [...inputArg, ...outputArg].some(({ type }) => type !== 0 && dtypeOf(type) === "string");
  return isText ? "strings" : undefined;
}
