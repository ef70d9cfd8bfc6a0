/** Notifies surfaces that the state of commands may have changed. */
import { useApp } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useExamples } from "../stores/example-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { useOps } from "../stores/ops-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { useDocumentRun, useRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { useSettings } from "../stores/settings-store.js";
import { useUi } from "../stores/ui-store.js";
import { useCanvas } from "../viewport/view-store.js";

/** Every store that commands read. */
const STORES = [
  ...[useApp, useCanvas, useCluster, useDocument, useExamples, useKernels, useOps, useReachability],
  ...[useDocumentRun, useRun, useRuntime, useSavedModel, useSettings, useUi],
];

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
