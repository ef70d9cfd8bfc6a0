/** The commands of an op in the list. */
import type { ConnectFrom } from "../document/edits/add.js";
import { signatureOf } from "../document/signature.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { isFavourite, toggleFavourite } from "../stores/op-choice.js";
import { loadOps, useOps } from "../stores/ops-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { placeBesideSelection } from "../viewport/new-node-place.js";
import { defineCommands } from "./command.js";
import { noTarget, opTarget } from "./target-kinds.js";

export const opCommands = defineCommands(opTarget, {
  add: {
    id: "op.add",
    group: "Graph",
    label: "Add beside the selection",
    short: () => "Add",
    named: (op) => `Add ${op}`,
    icon: "plus",
    run: addBesideSelection,
  },
  favourite: {
    id: "op.favourite",
    group: "Graph",
    label: "List with the favourites",
    short: (op) => (isFavourite(op) ? "Remove favourite" : "Favourite"),
    named: (op) => (isFavourite(op) ? `Remove ${op} from the favourites` : `Add ${op} to the favourites`),
    needsApplication: true,
    isOn: isFavourite,
    run: toggleFavourite,
  },
});

export const opListCommands = defineCommands(noTarget, {
  reload: {
    id: "op.reloadList",
    group: "Graph",
    label: "Read the list of ops again",
    short: () => "Try again",
    icon: "refresh",
    needsApplication: true,
    applies: () => useOps.getState().state === "failed",
    run: loadOps,
  },
  onlyRunnable: {
    id: "op.onlyRunnable",
    group: "Graph",
    label: "List only ops that the cluster can run",
    short: () => "Only what the cluster can run",
    needsApplication: true,
    isOn: () => useSettings.getState().settings.onlyRunnableOps,
    run: () => changeSettings({ onlyRunnableOps: !useSettings.getState().settings.onlyRunnableOps }),
  },
});

/** Adds an op right of the selection and connects it to the first output that fits. */
function addBesideSelection(op: string): void {
  const { document, selection } = useGraph.getState();
  const last = [...selection].at(-1);
  const node = last === undefined ? undefined : document.nodes.get(last);
  const hasOutput = node && (signatureOf(node, lookupOp)?.outputs.length ?? 0) > 0;
  const from: ConnectFrom | undefined = hasOutput
    ? { type: "output", end: { node: node.name, output: 0 } }
    : undefined;
  documentActions.addNode(op, placeBesideSelection(), from);
}
