import { closeTabs, moveTab, showTabBeside } from "../actions/tab-actions.js";
import {
  activateSession,
  activeSession,
  type DocumentSession,
  openSessions,
} from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { isReplaceable } from "../stores/tab-store.js";
import { defineCommands, unless, when } from "./command.js";
import { anyTabTarget, noTarget, tabTarget } from "./target-kinds.js";

const hasOthers = () => when(openSessions().length > 1, "No other document is open.");

export const tabCommands = defineCommands(tabTarget, {
  close: {
    id: "tab.close",
    group: "File",
    label: "Close",
    named: (name) => `Close ${name}`,
    icon: "close",
    // A browser keeps Ctrl+W, unless the window is installed as a program of its own.
    shortcut: "Mod+W Alt+W",
    whileTyping: true,
    takesDocument: true,
    isEnabled: (session) => unless(whyNotClose(session)),
    run: (session) => closeTabs([session]),
  },
  closeOthers: {
    id: "tab.closeOthers",
    group: "File",
    label: "Close the others",
    keywords: "tabs",
    takesDocument: true,
    isEnabled: hasOthers,
    run: (session) => closeTabs(openSessions().filter((other) => other !== session)),
  },
  moveRight: {
    id: "tab.moveRight",
    group: "View",
    label: "Move the tab to the right",
    shortcut: "Ctrl+Shift+PageDown Alt+Shift+PageDown",
    isEnabled: (session) => when(openSessions().at(-1) !== session, "It is the last tab."),
    run: (session) => moveTab(session, 1),
  },
  moveLeft: {
    id: "tab.moveLeft",
    group: "View",
    label: "Move the tab to the left",
    shortcut: "Ctrl+Shift+PageUp Alt+Shift+PageUp",
    isEnabled: (session) => when(openSessions()[0] !== session, "It is the first tab."),
    run: (session) => moveTab(session, -1),
  },
});

export const tabListCommands = defineCommands(noTarget, {
  next: {
    id: "tab.next",
    group: "View",
    label: "Next tab",
    keywords: "document, switch",
    shortcut: "Ctrl+Tab Ctrl+PageDown Alt+PageDown",
    whileTyping: true,
    isEnabled: hasOthers,
    run: () => showTabBeside(1),
  },
  previous: {
    id: "tab.previous",
    group: "View",
    label: "Previous tab",
    keywords: "document, switch",
    shortcut: "Ctrl+Shift+Tab Ctrl+PageUp Alt+PageUp",
    whileTyping: true,
    isEnabled: hasOthers,
    run: () => showTabBeside(-1),
  },
});

export const anyTabCommands = defineCommands(anyTabTarget, {
  show: {
    id: "tab.show",
    group: "View",
    label: "Go to tab",
    named: (name) => `Go to ${name}`,
    note: (session) => useDocument.of(session).getState().document.path,
    keywords: "document, switch",
    applies: (session) => session !== activeSession(),
    run: activateSession,
  },
});

/** Undefined when there is something to close. */
function whyNotClose(session: DocumentSession): string | undefined {
  const { document } = useDocument.of(session).getState();
  const isEmpty = isReplaceable(session) && document.nodes.size === 0;
  return isEmpty && openSessions().length === 1 ? "Nothing else is open." : undefined;
}
