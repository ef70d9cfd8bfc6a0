import type { TensorAddress } from "../../../main/api/tensors.js";
import { useDocumentRun } from "../../stores/run-store.js";
import { useVariables } from "../../stores/variable-store.js";

/** A tensor that the application keeps, as its viewers need it. */
export interface TensorSource {
  readonly address: TensorAddress;
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly elementCount: number;
  readonly byteLength: number;
  /** The step that it is of; its values change with it. */
  readonly step: number;
  /** When it was read, in milliseconds since the epoch; only of a variable, of which `step` counts the readings. */
  readonly readAt?: number;
}

/** The newest value of a tensor or an opened variable; undefined if the newest run did not fetch it. */
export function useTensorSource(name: string): TensorSource | undefined {
  const run = useDocumentRun((state) => state.latest);
  const variable = useVariables((state) => state.kept.get(name));
  if (variable !== undefined) {
    const { reading, ...kept } = variable;
    return { ...kept, name, step: reading };
  }
  const tensor = run?.fetches.find((fetched) => fetched.name === name);
  if (run === undefined || tensor === undefined) return undefined;
  const { dtype, shape, elementCount, byteLength } = tensor;
  return {
    address: { runId: run.runId, name },
    name,
    dtype,
    shape,
    elementCount,
    byteLength,
    step: run.step,
  };
}
