import type { Problem } from "../api/problem.js";

/**
 * The notice about a task that restarted unexpectedly.
 *
 * @param name "worker/0"
 * @param lost Whether the server before had variables of a graph.
 */
export function restartNotice(name: string, at: Date, lost: boolean): Problem {
  const restarted = `${name} was restarted at ${at.toTimeString().slice(0, 8)}`;
  const notice = { code: "ABORTED", task: name };
  if (!lost) return { ...notice, message: `${restarted}.` };
  return {
    ...notice,
    message: `${restarted}; its variables are gone.`,
    remedy: "Run the initializer again.",
  };
}
