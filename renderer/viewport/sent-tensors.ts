/** The transfers of a traced step by their tensor. Pure. */
import type { Transfer } from "../../main/api/runs.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";

type ByTensor = ReadonlyMap<string, readonly Transfer[]>;

const known = new WeakMap<readonly Transfer[], ByTensor>();
const NONE: readonly Transfer[] = [];

/** @param tensor "x:0" */
export function transfersOf(transfers: readonly Transfer[], tensor: string): readonly Transfer[] {
  return (known.get(transfers) ?? atOnce(slicedByTensor(transfers))).get(tensor) ?? NONE;
}

/** Remembered for `transfersOf`: of a hundred thousand transfers this would block input. */
export function* slicedByTensor(transfers: readonly Transfer[]): Sliced<ByTensor> {
  const byTensor = new Map<string, Transfer[]>();
  yield* paused(transfers, (transfer) => {
    const { tensor } = transfer;
    if (tensor === "") return;
    const name = tensor.includes(":") ? tensor : `${tensor}:0`;
    const list = byTensor.get(name);
    if (list) list.push(transfer);
    else byTensor.set(name, [transfer]);
  });
  known.set(transfers, byTensor);
  return byTensor;
}
