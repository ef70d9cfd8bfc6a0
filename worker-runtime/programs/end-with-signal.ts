import type { ChildProcess } from "node:child_process";

/**
 * Ends a child process when the signal is aborted. In place of Node's own option: where a program could not be started
 * and the abort comes before that was reported, Node (20) signals process 0, which is the whole process group, ourselves
 * included.
 *
 * @returns The child.
 */
export function endWithSignal(child: ChildProcess, signal: AbortSignal | undefined): ChildProcess {
  if (signal === undefined) return child;
  const end = () => {
    if (child.pid !== undefined) child.kill();
  };
  if (signal.aborted) end();
  else {
    signal.addEventListener("abort", end, { once: true });
    child.once("close", () => signal.removeEventListener("abort", end));
  }
  return child;
}
