import type { Problem } from "../api/problem.js";

/** The notice about a task that restarted unexpectedly. @param name "worker/0" */
export function restartNotice(name: string, at: Date): Problem {
  return {
    code: "ABORTED",
    message: `${name} was restarted at ${at.toTimeString().slice(0, 8)}; its variables are gone.`,
    remedy: "Run the initializer again.",
    task: name,
  };
}
