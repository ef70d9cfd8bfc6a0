import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, when } from "./command.js";
import { documentTarget } from "./target-kinds.js";

const words = texts.commands.edit;

export const editCommands = defineCommands(documentTarget, {
  undo: {
    id: "edit.undo",
    group: "Edit",
    label: words.undo.label,
    labelNow: ({ undoLabel }) => (undoLabel ? words.undo.labelNow({ edit: undoLabel }) : words.undo.label),
    icon: "undo",
    shortcut: "Mod+Z",
    isEnabled: ({ canUndo }) => when(canUndo, words.undo.reason),
    run: () => documentActions.undo(),
  },
  redo: {
    id: "edit.redo",
    group: "Edit",
    label: words.redo.label,
    labelNow: ({ redoLabel }) => (redoLabel ? words.redo.labelNow({ edit: redoLabel }) : words.redo.label),
    icon: "redo",
    shortcut: "Mod+Shift+Z Mod+Y",
    isEnabled: ({ canRedo }) => when(canRedo, words.redo.reason),
    run: () => documentActions.redo(),
  },
});
