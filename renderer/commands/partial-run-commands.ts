import { runAlone, runTo } from "../actions/partial-run.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { isRunByItself, nodeCount } from "./node-commands.js";
import { nothingRuns } from "./run-commands.js";
import { nodesTarget } from "./target-kinds.js";

const words = texts.commands.partialRun;

export const partialRunCommands = defineCommands(nodesTarget, {
  to: {
    id: "run.to",
    group: "Run",
    label: words.to.label,
    named: (name) => words.to.named({ name }),
    hint: nodeCount,
    keywords: words.to.keywords,
    icon: "play",
    takesDocument: true,
    needsApplication: true,
    applies: isRunByItself,
    isEnabled: nothingRuns,
    run: runTo,
  },
  alone: {
    id: "run.alone",
    group: "Run",
    label: words.alone.label,
    named: (name) => words.alone.named({ name }),
    note: () => words.alone.note,
    hint: nodeCount,
    keywords: words.alone.keywords,
    takesDocument: true,
    needsApplication: true,
    applies: isRunByItself,
    isEnabled: nothingRuns,
    run: runAlone,
  },
});
