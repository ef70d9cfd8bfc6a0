import type { ApplicationClient } from "../../main/api/contract.js";

let current: ApplicationClient | undefined;

/** Sets the one connection of this window. Called once at start, and by tests. */
export function setClient(client: ApplicationClient): void {
  current = client;
}

/** The application behind this window. Throws before `setClient` was called. */
export function client(): ApplicationClient {
  if (current === undefined) throw new Error("The window is not connected to the application yet.");
  return current;
}
