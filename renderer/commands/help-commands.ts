import { startTour } from "../actions/tour-actions.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.help;

export const helpCommands = defineCommands(noTarget, {
  palette: {
    id: "help.palette",
    group: "Help",
    label: words.palette.label,
    icon: "search",
    shortcut: "Mod+K Mod+Shift+P",
    run: () => uiActions.open({ kind: "palette" }),
  },
  shortcuts: {
    id: "help.shortcuts",
    group: "Help",
    label: words.shortcuts.label,
    icon: "help",
    shortcut: "?",
    run: () => uiActions.open({ kind: "shortcuts" }),
  },
  tour: {
    id: "help.tour",
    group: "Help",
    label: words.tour.label,
    keywords: words.tour.keywords,
    icon: "help",
    run: startTour,
  },
  guides: {
    id: "help.guides",
    group: "Help",
    label: words.guides.label,
    keywords: words.guides.keywords,
    icon: "help",
    shortcut: "F1",
    whileTyping: true,
    run: () => uiActions.open({ kind: "guides" }),
  },
  log: {
    id: "help.log",
    group: "Help",
    label: words.log.label,
    keywords: words.log.keywords,
    icon: "file",
    run: () => uiActions.open({ kind: "log" }),
  },
  about: {
    id: "help.about",
    group: "Help",
    label: words.about.label,
    icon: "info",
    run: () => uiActions.open({ kind: "about" }),
  },
  licences: {
    id: "help.licences",
    group: "Help",
    label: words.licences.label,
    keywords: words.licences.keywords,
    icon: "file",
    run: () => uiActions.open({ kind: "licences" }),
  },
});
