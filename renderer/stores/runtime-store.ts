import { create } from "zustand";
import type { RuntimeState } from "../../main/api/runtime.js";
import { client } from "../client.js";

export interface RuntimeStore {
  /** Undefined until the application answered. */
  readonly state: RuntimeState | undefined;
}

export const useRuntime = create<RuntimeStore>()(() => ({ state: undefined }));

export function receiveRuntime(state: RuntimeState): void {
  useRuntime.setState({ state });
}

export async function installRuntime(): Promise<void> {
  await client().call("runtime.install");
}

export async function cancelInstall(): Promise<void> {
  await client().call("runtime.cancelInstall");
}

export async function lookForRuntime(): Promise<void> {
  receiveRuntime(await client().call("runtime.refresh"));
}
