import type { Problem } from "../api/problem.js";
import { restartNotice } from "../tasks/restart-notice.js";
import type { ClusterTask } from "./cluster-task.js";

/** Detects tasks whose server was replaced without a command from here: their variables are gone. */
export class RestartWatch {
  /** The last known incarnation, by task. */
  readonly #known = new Map<string, string>();
  /** Tasks that will get another incarnation at the user's request. */
  readonly #expected = new Set<string>();
  readonly #notices = new Map<string, Problem>();

  /** Announces that a task is about to be restarted or cleared at the user's request. */
  expect(taskId: string): void {
    this.#expected.add(taskId);
    this.#notices.delete(taskId);
  }

  noticeOf(taskId: string): Problem | undefined {
    return this.#notices.get(taskId);
  }

  /** Call with every new list of tasks. Returns whether there is a new notice. */
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
