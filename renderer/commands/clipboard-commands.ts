/**
 * Nodes and the system's clipboard. Keys reach it through the browser's own events, which need no permission; menus go
 * through its clipboard interface.
 */
import { ProblemError } from "../../main/api/wire.js";
import { copyText } from "../actions/copy-text.js";
import { type Clip, freePlaceFor } from "../document/edits/paste.js";
import type { Point } from "../document/model.js";
import { activeGraph, inSession } from "../stores/document-session.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { overlap } from "../viewport/rect.js";
import { currentView, toGraph, viewCentre, visibleArea } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands } from "./command.js";
import { contextOf } from "./key-context.js";
import { nodeCount, selectOnly } from "./node-commands.js";
import { graphTarget, nodesTarget } from "./target-kinds.js";

const words = texts.commands.clipboard;

const SNAP = 8;

export const clipboardCommands = defineCommands(nodesTarget, {
  cut: {
    id: "edit.cut",
    group: "Edit",
    label: words.cut.label,
    shortcut: "Mod+X",
    onCanvas: true,
    byEvent: "cut",
    hint: nodeCount,
    run: async (names) => {
      const graph = activeGraph();
      await copyNodes(names);
      inSession(graph, () => documentActions.deleteSelection());
    },
  },
  copy: {
    id: "edit.copy",
    group: "Edit",
    label: words.copy.label,
    icon: "copy",
    shortcut: "Mod+C",
    onCanvas: true,
    byEvent: "copy",
    hint: nodeCount,
    run: copyNodes,
  },
});

export const pasteCommands = defineCommands(graphTarget, {
  paste: {
    id: "edit.paste",
    group: "Edit",
    label: words.paste.paste.label,
    shortcut: "Mod+V",
    onCanvas: true,
    byEvent: "paste",
    run: async () => {
      const graph = activeGraph();
      const { contextMenu } = useCanvas.getState();
      const at = contextMenu?.pointer ? toGraph(contextMenu.screen) : undefined;
      const text = await readClipboard();
      inSession(graph, () => documentActions.pasteText(text, (clip) => placeFor(clip, at)));
    },
  },
});

async function copyNodes(names: readonly string[]): Promise<void> {
  selectOnly(names);
  const text = documentActions.copiedText();
  if (text !== undefined) await copyText(text);
}

async function readClipboard(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch (error) {
    throw new ProblemError({
      code: "PERMISSION_DENIED",
      ...words.notAllowed,
      details: String(error),
    });
  }
}

/**
 * The position of pasted nodes: at a chosen point, near where they were if that is in view, or into the middle of it.
 */
function placeFor(clip: Clip, at: Point | undefined): Point | undefined {
  if (at) return { x: Math.round(at.x / SNAP) * SNAP, y: Math.round(at.y / SNAP) * SNAP };
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  const { x, y } = clip.origin;
  const corner = { left: x, top: y, right: x + 1, bottom: y + 1 };
  if (!frame || overlap(visibleArea(currentView(), frame), corner)) return undefined;
  const centre = viewCentre();
  const origin = { x: Math.round(centre.x / SNAP) * SNAP, y: Math.round(centre.y / SNAP) * SNAP };
  return freePlaceFor(useGraph.getState().document, { ...clip, origin });
}

/**
 * Whether copying and pasting apply to nodes now: not while text is selected or typed, or another panel has the focus.
 */
function meansNodes(event: ClipboardEvent): boolean {
  const { typing, elsewhere, modal } = contextOf(event.target);
  const inCanvas = event.target instanceof Element && event.target.closest("[data-canvas]") !== null;
  const isTextSelected = !(document.getSelection()?.isCollapsed ?? true);
  return !event.defaultPrevented && !typing && !elsewhere && !modal && (inCanvas || !isTextSelected);
}

/** Makes the browser's own copy, cut and paste apply to nodes. Returns a function that stops that. */
export function listenToClipboard(): () => void {
  const onCopy = (event: ClipboardEvent) => {
    const text = meansNodes(event) ? documentActions.copiedText() : undefined;
    if (text === undefined || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    if (event.type === "cut") documentActions.deleteSelection();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (!meansNodes(event)) return;
    event.preventDefault();
    documentActions.pasteText(event.clipboardData?.getData("text/plain") ?? "", (clip) =>
      placeFor(clip, undefined),
    );
  };
  document.addEventListener("copy", onCopy);
  document.addEventListener("cut", onCopy);
  document.addEventListener("paste", onPaste);
  return () => {
    document.removeEventListener("copy", onCopy);
    document.removeEventListener("cut", onCopy);
    document.removeEventListener("paste", onPaste);
  };
}
