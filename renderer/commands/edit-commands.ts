import { documentActions } from "../stores/document-store.js";
import { defineCommands, when } from "./command.js";
import { documentTarget } from "./target-kinds.js";

export const editCommands = defineCommands(documentTarget, {
  undo: {
    id: "edit.undo",
    group: "Edit",
    label: "Undo",
    labelNow: ({ undoLabel }) => (undoLabel ? `Undo: ${undoLabel}` : "Undo"),
    icon: "undo",
    shortcut: "Mod+Z",
    isEnabled: ({ canUndo }) => when(canUndo, "There is nothing to undo."),
    run: () => documentActions.undo(),
  },
  redo: {
    id: "edit.redo",
    group: "Edit",
    label: "Redo",
    labelNow: ({ redoLabel }) => (redoLabel ? `Redo: ${redoLabel}` : "Redo"),
    icon: "redo",
    shortcut: "Mod+Shift+Z Mod+Y",
    isEnabled: ({ canRedo }) => when(canRedo, "There is nothing to redo."),
    run: () => documentActions.redo(),
  },
});
