/**
 * Notifies surfaces that the state of commands may have changed, and records what a command reads from the stores, so
 * that it is evaluated again only after one of these values has changed.
 */
import type { StoreApi } from "zustand";
import { useApp } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { useCurves } from "../stores/curve-store.js";
import { type PerDocument, useSessions } from "../stores/document-session.js";
import { useDocument, useGraph } from "../stores/document-store.js";
import { useExamples } from "../stores/example-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useGraphKernels, useKernelCatalogue, useKernels } from "../stores/kernel-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { useOps } from "../stores/ops-store.js";
import { usePlacement } from "../stores/placement-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { useDocumentRun, useRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { useSettings } from "../stores/settings-store.js";
import { useUi } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { useColouring } from "../viewport/colouring.js";
import { useEntering } from "../viewport/entering.js";
import { useTravel } from "../viewport/travel.js";
import { useCanvas } from "../viewport/view-store.js";

type Store<T extends object = object> = Pick<StoreApi<T>, "getState" | "subscribe">;

/** One value of a store, as it was when it was read. */
interface Read {
  readonly stateNow: () => object;
  readonly key: PropertyKey;
  readonly value: unknown;
}

/** The record of the innermost `recordReads` so far; undefined outside of it. */
let recording: Read[] | undefined;

/** Every store that commands read. */
const STORES: readonly Store[] = [
  ...[
    useApp,
    useCanvas,
    useCluster,
    useDocument,
    useExamples,
    useGraph,
    useGraphKernels,
    useKernelCatalogue,
    useKernels,
    useKubernetes,
    useOps,
  ],
  ...[
    useGraphView,
    useTravel,
    useEntering,
    useColouring,
    useCurves,
    usePlacement,
    useReachability,
    useDocumentRun,
    useRun,
    useRuntime,
    useSavedModel,
    useSessions,
    useSettings,
    useUi,
    useVariables,
  ],
].map((store) => recordable(store as Store));

/** Makes `getState` of a store tell `recordReads` which values of the state are read, also of documents not shown. */
function recordable(store: Store & Partial<Pick<PerDocument<object>, "of">>): Store {
  store.getState = recorded(store.getState);
  const { of } = store;
  if (of) {
    store.of = (session) => {
      const one = of(session);
      return recording === undefined ? one : { ...one, getState: recorded(one.getState) };
    };
  }
  return store;
}

function recorded(stateNow: () => object): () => object {
  return () => {
    const state = stateNow();
    const reads = recording;
    if (reads === undefined) return state;
    return new Proxy(state, {
      get: (_, key) => {
        const value: unknown = Reflect.get(state, key);
        reads.push({ stateNow, key, value });
        return value;
      },
    });
  };
}

/** The result of a query, and whether it may have changed since. */
export interface Recorded<T> {
  readonly answer: T;
  isOutdated(): boolean;
}

/** Runs a synchronous query. Its result must depend only on what it reads from the stores. */
export function recordReads<T>(query: () => T): Recorded<T> {
  const outer = recording;
  const reads: Read[] = [];
  recording = reads;
  try {
    const answer = query();
    return {
      answer,
      isOutdated: () => reads.some(({ stateNow, key, value }) => Reflect.get(stateNow(), key) !== value),
    };
  } finally {
    recording = outer;
  }
}

const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

function tell(): void {
  for (const listener of [...listeners]) listener();
}

/** Calls the listener after every change that may concern a command. Returns a function that stops that. */
export function onStateChange(listener: () => void): () => void {
  listeners.add(listener);
  stop ??= watch();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = undefined;
  };
}

function watch(): () => void {
  const stops = STORES.map((store) => store.subscribe(tell));
  return () => {
    for (const end of stops) end();
  };
}
