import type { Transfer } from "../../main/api/runs.js";
import { taskNameOfDevice } from "../cluster/task-name.js";

/** Whether a transfer is a copy between a GPU and the memory of its host, and not between tasks. */
export function isDeviceCopy({ tensor }: Pick<Transfer, "tensor">): boolean {
  return tensor.startsWith("MEMCPY");
}

/**
 * The tensors that a traced step sent between tasks, wherever tensors and bytes are counted: each tensor once for each other
 * task whose nodes read it, in a loop once for each of its runs. Not among them are copies within a task, control edges, and
 * those that the client fed and fetched. `sentBytes` (`placement/crossings.ts`) is what a placement lets expect of it.
 */
export function sentBetweenTasks(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.filter((transfer) => {
    const from = taskNameOfDevice(transfer.fromDevice);
    const isWithin = from !== undefined && from === taskNameOfDevice(transfer.toDevice);
    const isControl = transfer.tensor.startsWith("^");
    return !(isWithin || isControl || isDeviceCopy(transfer) || transfer.forClient);
  });
}

/** The tensors that the client fed and fetched on other tasks than its master's. */
export function sentForClient(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.filter(({ forClient }) => forClient);
}
