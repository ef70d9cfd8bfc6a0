import { startTour } from "../actions/tour-actions.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

export const helpCommands = defineCommands(noTarget, {
  palette: {
    id: "help.palette",
    group: "Help",
    label: "Search or run a command",
    icon: "search",
    shortcut: "Mod+K Mod+Shift+P",
    run: () => uiActions.open({ kind: "palette" }),
  },
  shortcuts: {
    id: "help.shortcuts",
    group: "Help",
    label: "Keyboard shortcuts",
    icon: "help",
    shortcut: "?",
    run: () => uiActions.open({ kind: "shortcuts" }),
  },
  tour: {
    id: "help.tour",
    group: "Help",
    label: "Take the tour",
    keywords: "introduction, first steps, tutorial, getting started",
    icon: "help",
    run: startTour,
  },
  log: {
    id: "help.log",
    group: "Help",
    label: "Show the log file",
    keywords: "errors, report, open log",
    icon: "file",
    run: () => uiActions.open({ kind: "log" }),
  },
  about: {
    id: "help.about",
    group: "Help",
    label: "About Tensordeck",
    icon: "info",
    run: () => uiActions.open({ kind: "about" }),
  },
});
