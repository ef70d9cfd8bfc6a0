import type { Problem } from "../api/problem.js";
import { restartNotice } from "../tasks/restart-notice.js";
import type { ClusterTask } from "./cluster-task.js";

/** Notices tasks whose server is another one now though nobody here asked for that: their variables are gone. */
export class RestartWatch {
  /** The incarnation that answered last, by task. */
  readonly #known = new Map<string, string>();
  /** Tasks that are to get another incarnation on the user's wish. */
  readonly #expected = new Set<string>();
  readonly #notices = new Map<string, Problem>();

  /** Says that a task is about to be started anew, or emptied, on the user's wish. */
  expect(taskId: string): void {
    this.#expected.add(taskId);
    this.#notices.delete(taskId);
  }

  noticeOf(taskId: string): Problem | undefined {
    return this.#notices.get(taskId);
  }

  /** To be called with every new list of tasks. Answers whether a notice is new. */
  look(tasks: readonly ClusterTask[], now = new Date()): boolean {
    let isNew = false;
    for (const { id, name, incarnation } of tasks) {
      if (incarnation === undefined) continue;
      const before = this.#known.get(id);
      if (before === incarnation) continue;
      this.#known.set(id, incarnation);
      const wasExpected = this.#expected.delete(id);
      if (before === undefined || wasExpected) continue;
      this.#notices.set(id, restartNotice(name, now));
      isNew = true;
    }
    return isNew;
  }

  forget(taskId: string): void {
    this.#known.delete(taskId);
    this.#expected.delete(taskId);
    this.#notices.delete(taskId);
  }
}
