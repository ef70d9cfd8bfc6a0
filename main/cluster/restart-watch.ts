import type { Problem } from "../api/problem.js";
import type { ClusterTask } from "./cluster-task.js";
import { restartNotice } from "./restart-notice.js";

type WatchedTask = Pick<ClusterTask, "id" | "name" | "incarnation" | "server">;

/**
 * Detects tasks whose server was replaced without a command from here, and knows which servers lost variables by that,
 * also when the application itself was restarted meanwhile.
 */
export class RestartWatch {
  /** The last known incarnation, by task. */
  readonly #known = new Map<string, string>();
  /** Tasks that will get another incarnation at the user's request. */
  readonly #expected = new Set<string>();
  readonly #notices = new Map<string, Problem>();
  /** By task, the server on which a graph that ran from here has variables. */
  readonly #holders = new Map<string, string>();

  /** Announces that a task is about to be restarted or cleared at the user's request. */
  expect(taskId: string): void {
    this.#expected.add(taskId);
    this.#notices.delete(taskId);
    this.#holders.delete(taskId);
  }

  noticeOf(taskId: string): Problem | undefined {
    return this.#notices.get(taskId);
  }

  /** Notes that a graph has variables on the server of a task. Returns whether that is new. */
  holdsVariables({ id, server }: Pick<WatchedTask, "id" | "server">): boolean {
    if (server === undefined || this.#holders.get(id) === server) return false;
    this.#holders.set(id, server);
    return true;
  }

  /** By task, the server that has variables. */
  holders(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#holders);
  }

  /** Takes over what `holders` gave to an earlier run of the application. */
  restoreHolders(holders: Readonly<Record<string, string>>): void {
    for (const [id, server] of Object.entries(holders)) this.#holders.set(id, server);
  }

  /** Call with every new list of tasks. Returns whether there is a new notice. */
  look(tasks: readonly WatchedTask[], now = new Date()): boolean {
    let isNew = false;
    for (const { id, name, incarnation, server } of tasks) {
      if (incarnation === undefined) continue;
      const before = this.#known.get(id);
      const holder = this.#holders.get(id);
      const lost = holder !== undefined && holder !== server;
      if (before === incarnation && !lost) continue;
      this.#known.set(id, incarnation);
      if (lost) this.#holders.delete(id);
      if (this.#expected.delete(id) || (before === undefined && !lost)) continue;
      this.#notices.set(id, restartNotice(name, now, lost));
      isNew = true;
    }
    return isNew;
  }

  forget(taskId: string): void {
    this.#known.delete(taskId);
    this.#expected.delete(taskId);
    this.#notices.delete(taskId);
    this.#holders.delete(taskId);
  }
}
