/** Promises of this process that are rejected without anybody being told, which ends a process by Node's default. */
import { setImmediate } from "node:timers/promises";

/** The reasons of the rejections that some work leaves unhandled. */
export async function unhandledRejectionsDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown): void => void reasons.push(reason);
  process.on("unhandledRejection", note);
  try {
    await work();
    // They are told when the queue of microtasks is empty.
    await setImmediate();
  } finally {
    process.off("unhandledRejection", note);
  }
  return reasons;
}
