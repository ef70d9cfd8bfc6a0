import { activeSession, inSession } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { runHistoryActions } from "../stores/run-history-store.js";
import { runDocumentOf } from "../stores/run-origin.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { defineCommands } from "./command.js";
import { documentTarget } from "./target-kinds.js";

const words = texts.commands.runHistory;

export const runHistoryCommands = defineCommands(documentTarget, {
  show: {
    id: "run.history",
    group: "Run",
    label: words.show.label,
    short: () => words.show.short,
    keywords: words.show.keywords,
    shortcut: "Mod+6",
    run: () => uiActions.showDock("history"),
  },
  clear: {
    id: "run.clearHistory",
    group: "Run",
    label: words.clear.label,
    short: () => words.clear.short,
    needsApplication: true,
    danger: true,
    run: async () => {
      const session = activeSession();
      const { document } = useDocument.getState();
      const choice = await confirm({
        title: words.clear.question,
        text: words.clear.consequence({ name: document.name }),
        choices: [{ id: "clear", label: words.clear.confirm, style: "danger" }],
      });
      if (choice !== "clear") return;
      await client().call("runs.clear", runDocumentOf(document));
      inSession(session, () => runHistoryActions.forgotten());
    },
  },
});
