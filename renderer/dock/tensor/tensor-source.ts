import type { TensorAddress } from "../../../main/api/tensors.js";
import { useDocumentRun } from "../../stores/run-store.js";
import { useTensorTabs } from "../../stores/tensor-tabs.js";
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
  /** It is of another run than the newest. */
  readonly isOfKeptRun?: boolean;
}

/** The newest value of a tensor or an opened variable, or one of a kept run; undefined if no run of these fetched it. */
export function useTensorSource(name: string): TensorSource | undefined {
  const run = useDocumentRun((state) => state.latest);
  const ofRun = useTensorTabs((state) => state.ofRuns.get(name));
  const variable = useVariables((state) => state.kept.get(name));
  if (ofRun !== undefined) {
    const { runId, kept } = ofRun;
    return { ...kept, address: { runId, name: kept.name }, name, isOfKeptRun: true };
  }
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
