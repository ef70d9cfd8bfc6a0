/** What the window shows besides the graph. Commands for the canvas are in graph-view-commands.ts. */
import { uiActions, useUi } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { focusNextPanel } from "./panels.js";
import { noTarget } from "./target-kinds.js";

function inspectorShown(): boolean {
  const { narrow, inspectorOverlay, inspectorOpen } = useUi.getState();
  return narrow ? inspectorOverlay : inspectorOpen;
}

export const viewCommands = defineCommands(noTarget, {
  side: {
    id: "view.side",
    group: "View",
    label: "Show or hide the side panel",
    labelNow: () => (useUi.getState().sideOpen ? "Hide the side panel" : "Show the side panel"),
    keywords: "cluster, ops",
    icon: "panel-left",
    shortcut: "Mod+B",
    run: () => uiActions.toggleSide(),
  },
  cluster: {
    id: "view.cluster",
    group: "View",
    label: "Show the cluster",
    run: () => uiActions.showSide("cluster"),
  },
  ops: { id: "view.ops", group: "View", label: "Show the ops", run: () => uiActions.showSide("ops") },
  placement: {
    id: "view.placement",
    group: "View",
    label: "Show the placement",
    keywords: "suggestion, tasks, lanes",
    run: () => uiActions.showSide("placement"),
  },
  inspector: {
    id: "view.inspector",
    group: "View",
    label: "Show or hide the inspector",
    labelNow: () => (inspectorShown() ? "Hide the inspector" : "Show the inspector"),
    icon: "panel-right",
    shortcut: "Mod+I",
    run: () => uiActions.toggleInspector(),
  },
  dock: {
    id: "view.dock",
    group: "View",
    label: "Open or close the dock",
    labelNow: () => (useUi.getState().dockOpen ? "Close the dock" : "Open the dock"),
    keywords: "show, hide",
    icon: "panel-bottom",
    shortcut: "Mod+J",
    run: () => uiActions.toggleDock(),
  },
  results: {
    id: "view.dock.results",
    group: "View",
    label: "Show results",
    shortcut: "Mod+1",
    run: () => uiActions.showDock("results"),
  },
  timeline: {
    id: "view.dock.timeline",
    group: "View",
    label: "Show timeline",
    shortcut: "Mod+2",
    run: () => uiActions.showDock("timeline"),
  },
  variables: {
    id: "view.dock.variables",
    group: "View",
    label: "Show variables",
    keywords: "weights, values, checkpoint",
    shortcut: "Mod+7",
    run: () => uiActions.showDock("variables"),
  },
  lanes: {
    id: "view.dock.lanes",
    group: "View",
    label: "Show lanes by task",
    keywords: "placement, pin, drag",
    run: () => uiActions.showDock("lanes"),
  },
  logs: {
    id: "view.dock.logs",
    group: "View",
    label: "Show logs",
    shortcut: "Mod+3",
    run: () => uiActions.showDock("logs"),
  },
  problems: {
    id: "view.dock.problems",
    group: "View",
    label: "Show problems",
    short: () => "What to do",
    shortcut: "Mod+4",
    run: () => uiActions.showDock("problems"),
  },
  nextPanel: {
    id: "view.nextPanel",
    group: "View",
    label: "Go to the next panel",
    shortcut: "F6",
    whileTyping: true,
    run: () => focusNextPanel(1),
  },
  previousPanel: {
    id: "view.previousPanel",
    group: "View",
    label: "Go to the previous panel",
    shortcut: "Shift+F6",
    whileTyping: true,
    run: () => focusNextPanel(-1),
  },
});
