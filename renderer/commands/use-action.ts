import { useSyncExternalStore } from "react";
import type { Action, AnyCommand, Command } from "./command.js";
import { onStateChange } from "./state-changes.js";

/** The visible state of an action as one value for comparison. */
function look({ label, short, named, note, hint, icon, applies, checked, reason }: Action): string {
  return JSON.stringify([label, short, named, note, hint, icon, applies, checked, reason]);
}

/** A command with the current target, drawn again when it would look different. */
export function useCommand(command: AnyCommand): Action {
  useSyncExternalStore(onStateChange, () => look(command.now()));
  return command.now();
}

/** A command with a target of the surface's own, drawn again when it would look different. */
export function useCommandOn<T>(command: Command<T>, target: T): Action {
  useSyncExternalStore(onStateChange, () => look(command.on(target)));
  return command.on(target);
}
