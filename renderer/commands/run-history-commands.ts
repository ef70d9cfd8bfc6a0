import { activeSession, inSession } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { runHistoryActions } from "../stores/run-history-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { defineCommands } from "./command.js";
import { documentTarget } from "./target-kinds.js";

export const runHistoryCommands = defineCommands(documentTarget, {
  show: {
    id: "run.history",
    group: "Run",
    label: "Show and compare earlier runs",
    short: () => "Runs",
    keywords: "history",
    shortcut: "Mod+6",
    run: () => uiActions.showDock("history"),
  },
  clear: {
    id: "run.clearHistory",
    group: "Run",
    label: "Forget the earlier runs",
    short: () => "Clear…",
    needsApplication: true,
    danger: true,
    run: async () => {
      const session = activeSession();
      const { name, path } = useDocument.getState().document;
      const choice = await confirm({
        title: "Forget the earlier runs?",
        text: `The values, curves and traces of all runs of ${name} that have ended are removed.`,
        choices: [{ id: "clear", label: "Forget them", style: "danger" }],
      });
      if (choice !== "clear") return;
      await client().call("runs.clear", { document: name, ...(path === undefined ? {} : { path }) });
      inSession(session, () => runHistoryActions.forgotten());
    },
  },
});
