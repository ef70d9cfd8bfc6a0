import type { Transfer } from "../../main/api/runs.js";

/** Whether a transfer is a copy between a GPU and the memory of its host, and not between tasks. */
export function isDeviceCopy({ tensor }: Pick<Transfer, "tensor">): boolean {
  return tensor.startsWith("MEMCPY");
}

/** The transfers between tasks: all but copies within one. */
export function sentBetweenTasks(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.filter((transfer) => !isDeviceCopy(transfer));
}
