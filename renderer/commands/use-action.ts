import { useState, useSyncExternalStore } from "react";
import type { Action, AnyCommand, Command } from "./command.js";
import { onStateChange, type Recorded, recordReads } from "./state-changes.js";

/** The rendered parts of an action. A component keeps the same object while they are equal. */
const SHOWN = [
  ...(["id", "label", "short", "named", "note", "hint", "icon"] as const),
  ...(["applies", "checked", "reason"] as const),
];

/** The action of one component: looked up again only after something has changed that the command has read. */
class ShownAction {
  #of: readonly unknown[] = [];
  #recorded: Recorded<Action> | undefined;

  now(command: AnyCommand, target: unknown, query: () => Action): Action {
    const isOther = this.#of[0] !== command || this.#of[1] !== target;
    const before = this.#recorded;
    if (before && !isOther && !before.isOutdated()) return before.answer;
    const recorded = recordReads(query);
    const isSame =
      before && !isOther && SHOWN.every((property) => before.answer[property] === recorded.answer[property]);
    this.#of = [command, target];
    this.#recorded = isSame ? { ...recorded, answer: before.answer } : recorded;
    return this.#recorded.answer;
  }
}

/** A command with the current target, rendered again when it would look different. */
export function useCommand(command: AnyCommand): Action {
  const [shown] = useState(() => new ShownAction());
  return useSyncExternalStore(onStateChange, () => shown.now(command, undefined, () => command.now()));
}

/** A command with a target of the surface's own, rendered again when it would look different. */
export function useCommandOn<T>(command: Command<T>, target: T): Action {
  const [shown] = useState(() => new ShownAction());
  return useSyncExternalStore(onStateChange, () => shown.now(command, target, () => command.on(target)));
}
