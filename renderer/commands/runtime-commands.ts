/** TensorFlow's runtime on this machine. */
import { cancelInstall, installRuntime, lookForRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { bytesText } from "../ui/format.js";
import { defineCommands, type Enabled, when } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.runtime;

const INSTALL = words.installTensorflowRuntime;

const state = () => useRuntime.getState().state;

function canInstall(): Enabled {
  const { runtime, offer, progress, problem } = state() ?? {};
  if (progress) return { reason: words.beingInstalled };
  if (offer) return true;
  if (runtime) return { reason: words.isInstalled({ version: runtime.version }) };
  return { reason: problem?.message ?? words.noBuild };
}

/** The size of what would be fetched. */
function download(): string | undefined {
  const offer = state()?.offer;
  return offer && bytesText(offer.downloadBytes);
}

export const runtimeCommands = defineCommands(noTarget, {
  install: {
    id: "runtime.install",
    group: "Cluster",
    label: INSTALL,
    short: () => {
      const size = download();
      return size === undefined ? INSTALL : INSTALL.replace("…", ` (${size})…`);
    },
    hint: download,
    icon: "download",
    isEnabled: canInstall,
    run: () => uiActions.open({ kind: "install" }),
  },
  retry: {
    id: "runtime.retryInstall",
    group: "Cluster",
    label: words.retry.label,
    short: () => words.retry.short,
    icon: "download",
    needsApplication: true,
    applies: () => state()?.offer !== undefined && state()?.problem !== undefined,
    run: installRuntime,
  },
  cancelInstall: {
    id: "runtime.cancelInstall",
    group: "Cluster",
    label: words.cancelInstall.label,
    short: () => words.cancelInstall.short,
    needsApplication: true,
    isEnabled: () => when(state()?.progress !== undefined, words.cancelInstall.reason),
    run: cancelInstall,
  },
  refresh: {
    id: "runtime.refresh",
    group: "Cluster",
    label: words.refresh.label,
    short: () => words.refresh.short,
    icon: "refresh",
    needsApplication: true,
    run: lookForRuntime,
  },
});
