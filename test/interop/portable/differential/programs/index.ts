/** Programs of the ops with state. */
import { containerPrograms } from "./containers.js";
import { filePrograms } from "./files.js";
import { flowPrograms } from "./flow.js";
import { functionPrograms } from "./functions.js";
import { optimizerPrograms } from "./optimizers.js";
import type { Program } from "./program.js";
import { queuePrograms } from "./queues.js";
import { randomPrograms } from "./random.js";
import { variablePrograms } from "./variables.js";

export const programsByFamily: Readonly<Record<string, readonly Program[]>> = {
  variables: variablePrograms,
  optimizers: optimizerPrograms,
  "queues, barriers, accumulators and stacks": queuePrograms,
  "TensorArrays, lists and tables": containerPrograms,
  "branches, loops, logs and summaries": flowPrograms,
  functions: functionPrograms,
  files: filePrograms,
  "random numbers": randomPrograms,
};
