/** The commands of an op in the list. */
import type { ConnectFrom } from "../document/edits/add.js";
import { signatureOf } from "../document/signature.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { isFavourite, toggleFavourite } from "../stores/op-choice.js";
import { loadOps, useOps } from "../stores/ops-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { placeBesideSelection } from "../viewport/new-node-place.js";
import { defineCommands } from "./command.js";
import { noTarget, opTarget } from "./target-kinds.js";

const words = texts.commands.op;

export const opCommands = defineCommands(opTarget, {
  add: {
    id: "op.add",
    group: "Graph",
    label: words.add.label,
    short: () => words.add.short,
    named: (op) => words.add.named({ op }),
    icon: "plus",
    run: addBesideSelection,
  },
  favourite: {
    id: "op.favourite",
    group: "Graph",
    label: words.favourite.label,
    short: (op) => (isFavourite(op) ? words.favourite.removeFavourite : words.favourite.favourite),
    named: (op) =>
      isFavourite(op)
        ? words.favourite.removeOpFromFavourites({ op })
        : words.favourite.addOpToFavourites({ op }),
    needsApplication: true,
    isOn: isFavourite,
    run: toggleFavourite,
  },
});

export const opListCommands = defineCommands(noTarget, {
  reload: {
    id: "op.reloadList",
    group: "Graph",
    label: words.opList.reload.label,
    short: () => words.opList.reload.short,
    icon: "refresh",
    needsApplication: true,
    applies: () => useOps.getState().state === "failed",
    run: loadOps,
  },
  onlyRunnable: {
    id: "op.onlyRunnable",
    group: "Graph",
    label: words.opList.onlyRunnable.label,
    short: () => words.opList.onlyRunnable.short,
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
