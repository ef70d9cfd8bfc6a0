/** Dismissed messages of the cluster; kept here because the components that show them may unmount. */
import { create } from "zustand";
import type { Problem } from "../../main/api/problem.js";

export interface DismissedStore {
  readonly keys: ReadonlySet<string>;
}

export const useDismissed = create<DismissedStore>()(() => ({ keys: new Set<string>() }));

/**
 * Distinguishes a message from the next one, which is shown again.
 *
 * @param where its subject, and since when: "worker/0 1750000000000"
 */
export function noticeKey(where: string, { message, reason = "" }: Problem): string {
  return [where, message, reason].join("\n");
}

/** A recurring message is shown again. */
export function forgetDismissed(where: string): void {
  const { keys } = useDismissed.getState();
  const left = [...keys].filter((key) => !key.startsWith(`${where}\n`));
  if (left.length < keys.size) useDismissed.setState({ keys: new Set(left) });
}

export function dismiss(key: string): void {
  useDismissed.setState(({ keys }) => ({ keys: new Set(keys).add(key) }));
}
