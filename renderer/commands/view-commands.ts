/** The commands that show parts of the window besides the graph. Commands for the canvas are in graph-view-commands.ts. */
import { uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { focusNextPanel } from "./panels.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.view;

function inspectorShown(): boolean {
  const { narrow, inspectorOverlay, inspectorOpen } = useUi.getState();
  return narrow ? inspectorOverlay : inspectorOpen;
}

export const viewCommands = defineCommands(noTarget, {
  side: {
    id: "view.side",
    group: "View",
    label: words.side.label,
    labelNow: () => (useUi.getState().sideOpen ? words.side.hideSidePanel : words.side.showSidePanel),
    keywords: words.side.keywords,
    icon: "panel-left",
    shortcut: "Mod+B",
    run: () => uiActions.toggleSide(),
  },
  cluster: {
    id: "view.cluster",
    group: "View",
    label: words.cluster.label,
    run: () => uiActions.showSide("cluster"),
  },
  ops: { id: "view.ops", group: "View", label: words.ops.label, run: () => uiActions.showSide("ops") },
  placement: {
    id: "view.placement",
    group: "View",
    label: words.placement.label,
    keywords: words.placement.keywords,
    run: () => uiActions.showSide("placement"),
  },
  inspector: {
    id: "view.inspector",
    group: "View",
    label: words.inspector.label,
    labelNow: () => (inspectorShown() ? words.inspector.hideInspector : words.inspector.showInspector),
    icon: "panel-right",
    shortcut: "Mod+I",
    run: () => uiActions.toggleInspector(),
  },
  dock: {
    id: "view.dock",
    group: "View",
    label: words.dock.label,
    labelNow: () => (useUi.getState().dockOpen ? words.dock.closeDock : words.dock.openDock),
    keywords: words.dock.keywords,
    icon: "panel-bottom",
    shortcut: "Mod+J",
    run: () => uiActions.toggleDock(),
  },
  results: {
    id: "view.dock.results",
    group: "View",
    label: words.results.label,
    shortcut: "Mod+1",
    run: () => uiActions.showDock("results"),
  },
  timeline: {
    id: "view.dock.timeline",
    group: "View",
    label: words.timeline.label,
    shortcut: "Mod+2",
    run: () => uiActions.showDock("timeline"),
  },
  variables: {
    id: "view.dock.variables",
    group: "View",
    label: words.variables.label,
    keywords: words.variables.keywords,
    shortcut: "Mod+7",
    run: () => uiActions.showDock("variables"),
  },
  lanes: {
    id: "view.dock.lanes",
    group: "View",
    label: words.lanes.label,
    keywords: words.lanes.keywords,
    run: () => uiActions.showDock("lanes"),
  },
  scripts: {
    id: "view.dock.scripts",
    group: "View",
    label: words.scripts.label,
    keywords: words.scripts.keywords,
    shortcut: "Mod+8",
    run: () => uiActions.showDock("scripts"),
  },
  logs: {
    id: "view.dock.logs",
    group: "View",
    label: words.logs.label,
    shortcut: "Mod+3",
    run: () => uiActions.showDock("logs"),
  },
  problems: {
    id: "view.dock.problems",
    group: "View",
    label: words.problems.label,
    short: () => words.problems.short,
    shortcut: "Mod+4",
    run: () => uiActions.showDock("problems"),
  },
  nextPanel: {
    id: "view.nextPanel",
    group: "View",
    label: words.nextPanel.label,
    shortcut: "F6",
    whileTyping: true,
    run: () => focusNextPanel(1),
  },
  previousPanel: {
    id: "view.previousPanel",
    group: "View",
    label: words.previousPanel.label,
    shortcut: "Shift+F6",
    whileTyping: true,
    run: () => focusNextPanel(-1),
  },
});
