import { type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import type { BridgeAnswer } from "../../api/bridge.js";
import type { Application } from "../../application.js";
import type { Caller } from "../../shared/caller.js";
import { answerCall } from "../shared/dispatcher.js";
import { isTrustedIpcSender } from "./trusted-ipc-sender.js";

/** Names as in preload.cts, which cannot import this file: a sandboxed preload script is one file. */
export const REQUEST_CHANNEL = "tensordeck:request";
export const EVENT_CHANNEL = "tensordeck:event";

/**
 * Answers the windows' requests. Any other sender on the channel is refused and learns nothing.
 *
 * @param given Receives the addresses of other machines' windows that were requested; see confineNavigation.
 */
export function serveRequests(application: Application, given: Set<string>): void {
  ipcMain.handle(
    REQUEST_CHANNEL,
    async (event: IpcMainInvokeEvent, method: unknown, params: unknown): Promise<BridgeAnswer> => {
      if (!isTrustedIpcSender(event.senderFrame) || typeof method !== "string") {
        return { ok: false, problem: { code: "PERMISSION_DENIED", message: "This page may not do that." } };
      }
      const answer = await answerCall(application, method, params, callerOf(event.sender));
      if (method === "machines.openWindow" && answer.ok && typeof answer.result === "string") {
        given.add(answer.result);
      }
      return answer;
    },
  );
}

/** Sends the application's events to a window for as long as it exists. */
export function sendEvents(application: Application, contents: WebContents): void {
  const stop = application.onEvent((event, data, sequence) => {
    if (!contents.isDestroyed()) contents.send(EVENT_CHANNEL, { event, data, sequence });
  });
  contents.once("destroyed", stop);
}

const callers = new WeakMap<WebContents, Caller>();

/**
 * The page that a window shows now, as a caller. A page that was reloaded or has crashed counts as another one.
 */
export function callerOf(contents: WebContents): Caller {
  const known = callers.get(contents);
  if (known) return known;
  const gone = new AbortController();
  const caller: Caller = { gone: gone.signal };
  callers.set(contents, caller);
  const end = () => {
    if (callers.get(contents) === caller) callers.delete(contents);
    contents.off("did-start-navigation", onNavigation);
    contents.off("render-process-gone", end);
    contents.off("destroyed", end);
    gone.abort();
  };
  const onNavigation = ({
    isMainFrame,
    isSameDocument,
  }: {
    isMainFrame: boolean;
    isSameDocument: boolean;
  }) => {
    if (isMainFrame && !isSameDocument) end();
  };
  contents.on("did-start-navigation", onNavigation);
  contents.on("render-process-gone", end);
  contents.on("destroyed", end);
  return caller;
}
