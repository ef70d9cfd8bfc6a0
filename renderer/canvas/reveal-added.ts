import { useDocument } from "../stores/document-store.js";
import { revealNodes } from "../viewport/view.js";

/** Brings nodes into view that an edit has added, wherever they were put. Answers how to stop that. */
export function revealWhatIsAdded(): () => void {
  return useDocument.subscribe(({ document, selection, generation }, before) => {
    if (generation !== before.generation || document.nodes === before.document.nodes) return;
    // An edit selects what it adds; undo, which brings nodes back, selects nothing.
    if (selection === before.selection) return;
    const added = [...selection].filter((name) => !before.document.nodes.has(name));
    // Behind the frame in which the edit is drawn, and the drag that made it ends.
    if (added.length > 0) requestAnimationFrame(() => revealNodes(added));
  });
}
