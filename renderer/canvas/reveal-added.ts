import { useGraph } from "../stores/document-store.js";
import { revealNodes } from "../viewport/view.js";

/** Brings nodes into view that an edit has added. Returns a function that stops that. */
export function revealWhatIsAdded(): () => void {
  return useGraph.subscribe(({ document, selection, generation }, before) => {
    if (generation !== before.generation || document.nodes === before.document.nodes) return;
    // An edit selects what it adds; undo, which brings nodes back, selects nothing.
    if (selection === before.selection) return;
    const added = [...selection].filter((name) => !before.document.nodes.has(name));
    // After the frame in which the edit is drawn and the drag that caused it ends.
    if (added.length > 0) requestAnimationFrame(() => revealNodes(added));
  });
}
