import { runAlone, runTo } from "../actions/partial-run.js";
import { defineCommands } from "./command.js";
import { isRunByItself, nodeCount } from "./node-commands.js";
import { nothingRuns } from "./run-commands.js";
import { nodesTarget } from "./target-kinds.js";

export const partialRunCommands = defineCommands(nodesTarget, {
  to: {
    id: "run.to",
    group: "Run",
    label: "Run to here",
    named: (name) => `Run to ${name}`,
    hint: nodeCount,
    keywords: "part, partial, selection",
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
    label: "Run alone",
    named: (name) => `Run ${name} alone`,
    note: () => "What it reads from other nodes keeps the values of the last run.",
    hint: nodeCount,
    keywords: "part, partial, selection",
    takesDocument: true,
    needsApplication: true,
    applies: isRunByItself,
    isEnabled: nothingRuns,
    run: runAlone,
  },
});
