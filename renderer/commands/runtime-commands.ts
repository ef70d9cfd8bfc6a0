/** TensorFlow's runtime on this machine. */
import { cancelInstall, installRuntime, lookForRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { bytesText } from "../ui/format.js";
import { defineCommands, type Enabled, when } from "./command.js";
import { noTarget } from "./target-kinds.js";

const INSTALL = "Install TensorFlow runtime…";

const state = () => useRuntime.getState().state;

function canInstall(): Enabled {
  const { runtime, offer, progress, problem } = state() ?? {};
  if (progress) return { reason: "It is being installed." };
  if (offer) return true;
  if (runtime) return { reason: `TensorFlow ${runtime.version} is installed.` };
  return { reason: problem?.message ?? "There is no TensorFlow build for this system." };
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
    label: "Install TensorFlow runtime again",
    short: () => "Try again",
    icon: "download",
    needsApplication: true,
    applies: () => state()?.offer !== undefined && state()?.problem !== undefined,
    run: installRuntime,
  },
  cancelInstall: {
    id: "runtime.cancelInstall",
    group: "Cluster",
    label: "Cancel the installation of the TensorFlow runtime",
    short: () => "Cancel",
    needsApplication: true,
    isEnabled: () => when(state()?.progress !== undefined, "Nothing is being installed."),
    run: cancelInstall,
  },
  refresh: {
    id: "runtime.refresh",
    group: "Cluster",
    label: "Look for a TensorFlow runtime again",
    short: () => "Look again",
    icon: "refresh",
    needsApplication: true,
    run: lookForRuntime,
  },
});
