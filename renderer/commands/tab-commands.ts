import { closeTabs, moveTab, showTabBeside } from "../actions/tab-actions.js";
import {
  activateSession,
  activeSession,
  type DocumentSession,
  openSessions,
} from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { isReplaceable } from "../stores/tab-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, unless, when } from "./command.js";
import { anyTabTarget, noTarget, tabTarget } from "./target-kinds.js";

const words = texts.commands.tab;

const hasOthers = () => when(openSessions().length > 1, words.noOtherDocumentOpen);

export const tabCommands = defineCommands(tabTarget, {
  close: {
    id: "tab.close",
    group: "File",
    label: words.close.label,
    named: (name) => words.close.named({ name }),
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
    label: words.closeOthers.label,
    keywords: words.closeOthers.keywords,
    takesDocument: true,
    isEnabled: hasOthers,
    run: (session) => closeTabs(openSessions().filter((other) => other !== session)),
  },
  moveRight: {
    id: "tab.moveRight",
    group: "View",
    label: words.moveRight.label,
    shortcut: "Ctrl+Shift+PageDown Alt+Shift+PageDown",
    isEnabled: (session) => when(openSessions().at(-1) !== session, words.moveRight.reason),
    run: (session) => moveTab(session, 1),
  },
  moveLeft: {
    id: "tab.moveLeft",
    group: "View",
    label: words.moveLeft.label,
    shortcut: "Ctrl+Shift+PageUp Alt+Shift+PageUp",
    isEnabled: (session) => when(openSessions()[0] !== session, words.moveLeft.reason),
    run: (session) => moveTab(session, -1),
  },
});

export const tabListCommands = defineCommands(noTarget, {
  next: {
    id: "tab.next",
    group: "View",
    label: words.tabList.next.label,
    keywords: words.tabList.next.keywords,
    shortcut: "Ctrl+Tab Ctrl+PageDown Alt+PageDown",
    whileTyping: true,
    isEnabled: hasOthers,
    run: () => showTabBeside(1),
  },
  previous: {
    id: "tab.previous",
    group: "View",
    label: words.tabList.previous.label,
    keywords: words.tabList.previous.keywords,
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
    label: words.anyTab.show.label,
    named: (name) => words.anyTab.show.named({ name }),
    note: (session) => useDocument.of(session).getState().document.path,
    keywords: words.anyTab.show.keywords,
    applies: (session) => session !== activeSession(),
    run: activateSession,
  },
});

/** Undefined when there is something to close. */
function whyNotClose(session: DocumentSession): string | undefined {
  const { document } = useDocument.of(session).getState();
  const isEmpty = isReplaceable(session) && document.nodes.size === 0;
  return isEmpty && openSessions().length === 1 ? words.nothingElseOpen : undefined;
}
