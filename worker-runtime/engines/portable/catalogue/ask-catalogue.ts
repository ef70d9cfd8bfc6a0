import { Worker } from "node:worker_threads";
import { cancelledBy, internalError } from "../../../protocol/status.js";
import { compiledModule } from "../../package-root.js";
import type { CatalogueEntry } from "./catalogue.js";

/**
 * Lists the kernels of this version of the portable engine, in a thread that ends afterwards: the kernels take
 * time to load, and memory that a process without a task has no other use for.
 * @throws TensorFlowError FAILED_PRECONDITION when the sources were not built, CANCELLED, INTERNAL.
 */
export async function portableCatalogue(
  signal: AbortSignal,
  script = compiledModule("engines/portable/catalogue/catalogue-thread.js"),
): Promise<readonly CatalogueEntry[]> {
  const cancelled = () => cancelledBy(signal.reason, "Listing the portable engine's kernels");
  if (signal.aborted) {
    throw cancelled();
  }
  // Options of this process, such as a loader of TypeScript, are not for compiled files.
  const thread = new Worker(script, { execArgv: [] });
  let onAbort = (): void => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (why: string) =>
        reject(internalError(`The portable engine's kernels could not be listed: ${why}`));
      onAbort = () => reject(cancelled());
      signal.addEventListener("abort", onAbort);
      thread.once("message", resolve);
      thread.once("error", (error: Error) => fail(error.message));
      thread.once("exit", () => fail("the thread ended."));
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
}
