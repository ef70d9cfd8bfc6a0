import { randomBytes } from "node:crypto";

/**
 * Tells this process from every other one that has the same identity: one after it, which is the same machine started
 * anew, and one beside it, which is a copy. Kept nowhere.
 */
export const INSTANCE = randomBytes(8).toString("hex");

/** What others say theirs is; undefined for anything else. */
export function instanceFrom(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : undefined;
}
