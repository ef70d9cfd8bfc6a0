import { create } from "zustand";
import type { RuntimeState } from "../../main/api/runtime.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { dismissNoticeByKey, showNotice } from "./app-store.js";

export interface RuntimeStore {
  /** Undefined until the application has responded. */
  readonly state: RuntimeState | undefined;
}

export const useRuntime = create<RuntimeStore>()(() => ({ state: undefined }));

export function receiveRuntime(state: RuntimeState): void {
  useRuntime.setState({ state });
}

export async function installRuntime(): Promise<void> {
  dismissNoticeByKey("install-cancelled");
  await client().call("runtime.install");
}

export async function cancelInstall(): Promise<void> {
  await client().call("runtime.cancelInstall");
  showNotice({
    kind: "info",
    key: "install-cancelled",
    problem: { code: "CANCELLED", message: texts.stores.runtimeStore.cancelled },
  });
}

export async function lookForRuntime(): Promise<void> {
  receiveRuntime(await client().call("runtime.refresh"));
}
