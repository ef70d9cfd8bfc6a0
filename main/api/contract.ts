/**
 * The one contract between application and window. Both transports (Electron's IPC, the WebSocket of the headless
 * host) carry exactly these methods and events, and the application validates every parameter before it acts.
 *
 * It consists of one slice per room; add a method or an event to the slice of its room.
 */
import type { z } from "zod";
import { appEvents, appMethods } from "./app.js";
import { clusterEvents, clusterMethods } from "./cluster.js";
import { documentMethods } from "./documents.js";
import { draftMethods } from "./drafts.js";
import { feedMethods } from "./feeds.js";
import { kubernetesEvents, kubernetesMethods } from "./kubernetes.js";
import { missedEventsMethods } from "./missed-events.js";
import { modelMethods } from "./models.js";
import { networkEvents, networkMethods } from "./network.js";
import { peerEvents, peerMethods } from "./peers.js";
import { runHistoryMethods } from "./run-history.js";
import { runQueueEvents, runQueueMethods } from "./run-queue.js";
import { runEvents, runMethods } from "./runs.js";
import { scriptEvents, scriptMethods } from "./scripts.js";
import { settingsEvents, settingsMethods } from "./settings.js";
import { taskEvents, taskMethods } from "./tasks.js";
import { tensorEvents, tensorMethods } from "./tensors.js";
import { traceMethods } from "./traces.js";
import { variableMethods } from "./variables.js";

export const methods = {
  ...missedEventsMethods,
  ...appMethods,
  ...settingsMethods,
  ...documentMethods,
  ...draftMethods,
  ...taskMethods,
  ...peerMethods,
  ...clusterMethods,
  ...runMethods,
  ...feedMethods,
  ...runHistoryMethods,
  ...runQueueMethods,
  ...traceMethods,
  ...tensorMethods,
  ...variableMethods,
  ...modelMethods,
  ...networkMethods,
  ...scriptMethods,
  ...kubernetesMethods,
} as const;

export const events = {
  ...appEvents,
  ...settingsEvents,
  ...taskEvents,
  ...peerEvents,
  ...clusterEvents,
  ...runEvents,
  ...runQueueEvents,
  ...tensorEvents,
  ...networkEvents,
  ...scriptEvents,
  ...kubernetesEvents,
} as const;

/** Events that add to those before them. Every other one carries a whole state, which supersedes the one before. */
const appendedEvents: ReadonlySet<string> = new Set<keyof typeof events>(["samples", "taskLog", "scriptLog"]);

/** Whether an event carries a whole state. */
export function isStateEvent(event: string): boolean {
  return !appendedEvents.has(event);
}

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.infer<(typeof methods)[M]["params"]>;
export type Result<M extends MethodName> = z.infer<(typeof methods)[M]["result"]>;
export type EventName = keyof typeof events;
export type EventData<E extends EventName> = z.infer<(typeof events)[E]>;

/** Content that the application holds, by what `documents.part` names it, from an offset in bytes on. */
export interface HeldContent {
  readonly id: string;
  readonly offset: number;
}

/**
 * Its bytes, in pieces as they arrive, until a reader wants no more. Ends early, or throws a ProblemError, when it cannot
 * be had whole.
 */
export type ContentReader = (content: HeldContent) => AsyncIterable<Uint8Array>;

/** The window's handle to the application, over either transport. */
export interface ApplicationClient {
  /** Rejects with a ProblemError. `params` is left out if a method takes none. */
  call<M extends MethodName>(
    method: M,
    ...params: Params<M> extends undefined ? [] : [params: Params<M>]
  ): Promise<Result<M>>;
  /** Absent where `documents.part` is as fast. */
  readonly readContent?: ContentReader | undefined;
  /** Delivers the events from before this connection or while there was none. */
  catchUp(): Promise<void>;
  /** Calls the listener for every event of that name until the returned function is called. */
  on<E extends EventName>(event: E, listener: (data: EventData<E>) => void): () => void;
  /** Calls the listener at once and whenever the connection comes or goes. */
  onConnection(listener: (connected: boolean) => void): () => void;
}
