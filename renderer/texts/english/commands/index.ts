import { clusterCommands } from "./cluster.js";
import { graphCommands } from "./graph.js";
import { runCommands } from "./run.js";
import { windowCommands } from "./window.js";

export const commands = { ...clusterCommands, ...graphCommands, ...runCommands, ...windowCommands } as const;
