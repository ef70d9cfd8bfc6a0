/** Programs of the ops with state. */
import { assignmentPrograms } from "./assignments.js";
import { candidatePrograms, imageFilePrograms } from "./candidates.js";
import { containerPrograms } from "./containers.js";
import { decompositionPrograms } from "./decompositions.js";
import { denseTablePrograms } from "./dense-tables.js";
import { distortedBoxPrograms } from "./distorted-boxes.js";
import { everyDTypePrograms } from "./every-dtype.js";
import { filePrograms } from "./files.js";
import { flowPrograms } from "./flow.js";
import { functionPrograms } from "./functions.js";
import { optimizerPrograms } from "./optimizers.js";
import type { Program } from "./program.js";
import { queuePrograms } from "./queues.js";
import { raggedVariantPrograms } from "./ragged-variants.js";
import { randomPrograms } from "./random.js";
import { readerPrograms } from "./readers.js";
import { stagingPrograms } from "./staging.js";
import { variablePrograms } from "./variables.js";

export const programsByFamily: Readonly<Record<string, readonly Program[]>> = {
  // First, since these can be retyped where the others have ops that lack the dtype.
  "one op each, with every dtype": everyDTypePrograms,
  variables: variablePrograms,
  assignments: assignmentPrograms,
  optimizers: optimizerPrograms,
  "queues, barriers, accumulators and stacks": queuePrograms,
  "TensorArrays, lists and tables": containerPrograms,
  "branches, loops, logs and summaries": flowPrograms,
  decompositions: decompositionPrograms,
  "sampled candidates": candidatePrograms,
  "files of images": imageFilePrograms,
  "parts of images by chance": distortedBoxPrograms,
  functions: functionPrograms,
  "ragged tensors as objects": raggedVariantPrograms,
  files: filePrograms,
  "readers of records": readerPrograms,
  "tables that are arrays": denseTablePrograms,
  "staging areas": stagingPrograms,
  "random numbers": randomPrograms,
};
