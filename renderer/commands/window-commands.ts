/** The commands of the window itself. Those of the graph are in canvas/commands.ts. */

import { newDocument, openDocument, saveDocument, saveDocumentAs } from "../actions/file-actions.js";
import { startRun, stopRun } from "../actions/run-actions.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { countText } from "../ui/format.js";
import { clusterCommands } from "./cluster-commands.js";
import type { Command } from "./command.js";
import { focusNextPanel } from "./panels.js";

const running = () => isActive(useRun.getState().newest);

const file: Command[] = [
  { id: "file.new", label: "New graph", icon: "file", group: "File", run: newDocument },
  {
    id: "file.open",
    label: "Open…",
    icon: "folder",
    shortcut: "Mod+O",
    group: "File",
    run: () => openDocument(),
  },
  {
    id: "file.save",
    label: "Save",
    icon: "save",
    shortcut: "Mod+S",
    group: "File",
    takesDocument: true,
    run: async () => {
      await saveDocument();
    },
  },
  {
    id: "file.saveAs",
    label: "Save as…",
    shortcut: "Mod+Shift+S",
    group: "File",
    takesDocument: true,
    run: async () => {
      await saveDocumentAs();
    },
  },
];

const edit: Command[] = [
  {
    id: "edit.undo",
    label: "Undo",
    icon: "undo",
    shortcut: "Mod+Z",
    group: "Edit",
    run: () => documentActions.undo(),
    enabled: () => useDocument.getState().canUndo,
    hint: () => useDocument.getState().undoLabel,
  },
  {
    id: "edit.redo",
    label: "Redo",
    icon: "redo",
    shortcut: "Mod+Shift+Z Mod+Y",
    group: "Edit",
    run: () => documentActions.redo(),
    enabled: () => useDocument.getState().canRedo,
    hint: () => useDocument.getState().redoLabel,
  },
];

const run: Command[] = [
  {
    id: "run.once",
    label: "Run one step",
    icon: "play",
    shortcut: "Mod+Enter",
    group: "Run",
    takesDocument: true,
    run: () => startRun(1),
    enabled: () => !running(),
  },
  {
    id: "run.many",
    label: "Run many steps",
    icon: "fast-forward",
    shortcut: "Mod+Shift+Enter",
    group: "Run",
    takesDocument: true,
    run: () => startRun(useUi.getState().manySteps),
    enabled: () => !running(),
    hint: () => countText(useUi.getState().manySteps, "step"),
  },
  {
    id: "run.customSteps",
    label: "Run a number of steps…",
    group: "Run",
    run: () => uiActions.open({ kind: "custom-steps" }),
    enabled: () => !running(),
  },
  {
    id: "run.choose",
    label: "Choose what to run",
    keywords: "fetches, targets, feeds, signature",
    shortcut: "Mod+5",
    group: "Run",
    whileTyping: true,
    run: () => uiActions.showDock("run"),
  },
  {
    id: "run.stop",
    label: "Stop the run",
    icon: "stop",
    shortcut: "Shift+Escape",
    group: "Run",
    whileTyping: true,
    run: stopRun,
    enabled: running,
    hint: () =>
      useRun.getState().newest?.state === "stopping" ? "again: abort the step" : "after this step",
  },
  {
    id: "run.trace",
    label: "Trace the next run",
    icon: "pulse",
    group: "Run",
    run: () => uiActions.setTrace(!useUi.getState().trace),
    hint: () => (useUi.getState().trace ? "on" : "off"),
  },
];

const view: Command[] = [
  {
    id: "view.side",
    label: "Show or hide the side panel",
    keywords: "cluster, ops",
    icon: "panel-left",
    shortcut: "Mod+B",
    group: "View",
    run: () => uiActions.toggleSide(),
  },
  {
    id: "view.cluster",
    label: "Show the cluster",
    group: "View",
    run: () => uiActions.showSide("cluster"),
  },
  { id: "view.ops", label: "Show the ops", group: "View", run: () => uiActions.showSide("ops") },
  {
    id: "view.inspector",
    label: "Show or hide the inspector",
    icon: "panel-right",
    shortcut: "Mod+I",
    group: "View",
    run: () => uiActions.toggleInspector(),
  },
  {
    id: "view.dock",
    label: "Show or hide the dock",
    icon: "panel-bottom",
    shortcut: "Mod+J",
    group: "View",
    run: () => uiActions.toggleDock(),
  },
  ...(["results", "timeline", "logs", "problems"] as const).map(
    (tab, index): Command => ({
      id: `view.dock.${tab}`,
      label: `Show ${tab}`,
      shortcut: `Mod+${index + 1}`,
      group: "View",
      run: () => uiActions.showDock(tab),
    }),
  ),
  {
    id: "view.nextPanel",
    label: "Go to the next panel",
    shortcut: "F6",
    group: "View",
    whileTyping: true,
    run: () => focusNextPanel(1),
  },
  {
    id: "view.previousPanel",
    label: "Go to the panel before",
    shortcut: "Shift+F6",
    group: "View",
    whileTyping: true,
    run: () => focusNextPanel(-1),
  },
];

const themes: Command[] = (["dark", "light", "system"] as const).map((theme) => ({
  id: `settings.theme.${theme}`,
  label: theme === "system" ? "Theme of the system" : `${theme === "dark" ? "Dark" : "Light"} theme`,
  icon: theme === "dark" ? "moon" : theme === "light" ? "sun" : "desktop",
  group: "Settings",
  run: () => changeSettings({ theme }),
  hint: () => (useSettings.getState().settings.theme === theme ? "on" : undefined),
}));

const settings: Command[] = [
  {
    id: "settings.open",
    label: "Settings…",
    keywords: "machine name, visible on this network, stop ps with the last worker",
    group: "Settings",
    run: () => uiActions.open({ kind: "settings" }),
  },
  ...themes,
];

const help: Command[] = [
  {
    id: "help.palette",
    label: "Search or run a command",
    icon: "search",
    shortcut: "Mod+K Mod+Shift+P",
    group: "Help",
    run: () => uiActions.open({ kind: "palette" }),
  },
  {
    id: "help.shortcuts",
    label: "Keyboard shortcuts",
    icon: "help",
    shortcut: "?",
    group: "Help",
    run: () => uiActions.open({ kind: "shortcuts" }),
  },
  {
    id: "help.log",
    label: "Show the log file",
    keywords: "errors, report, open log",
    icon: "file",
    group: "Help",
    run: () => uiActions.open({ kind: "log" }),
  },
  {
    id: "help.about",
    label: "About Tensordeck",
    icon: "info",
    group: "Help",
    run: () => uiActions.open({ kind: "about" }),
  },
];

export const windowCommands: readonly Command[] = [
  ...file,
  ...edit,
  ...run,
  ...clusterCommands,
  ...view,
  ...settings,
  ...help,
];
