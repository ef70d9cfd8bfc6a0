import { randomBytes } from "node:crypto";

/**
 * Distinguishes this process from every other one with the same identity: a later one, which is the same machine after
 * a restart, and a concurrent one, which is a copy. Never stored.
 */
export const INSTANCE = randomBytes(8).toString("hex");

/** The instance that another machine reported; undefined for anything else. */
export function instanceFrom(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : undefined;
}
