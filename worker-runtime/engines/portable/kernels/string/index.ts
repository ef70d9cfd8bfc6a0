import type { KernelDefinition } from "../kernel.js";
import { codingKernels } from "./coding-ops.js";
import { csvKernel } from "./csv-op.js";
import { formatKernel } from "./format-op.js";
import { hashKernels } from "./hash-ops.js";
import { ngramKernel } from "./ngram-op.js";
import { numberTextKernels } from "./number-ops.js";
import { regexKernels } from "./regex-ops.js";
import { segmentJoinKernel } from "./segment-join-op.js";
import { splitKernels } from "./split-ops.js";
import { textKernels } from "./text-ops.js";
import { unicodeKernels } from "./unicode-ops.js";
import { unicodeScriptKernel } from "./unicode-script-op.js";

/** Strings. */
export const stringKernels: readonly KernelDefinition[] = [
  ...textKernels,
  ...splitKernels,
  ...numberTextKernels,
  ...codingKernels,
  ...regexKernels,
  ...hashKernels,
  ...unicodeKernels,
  unicodeScriptKernel,
  ngramKernel,
  segmentJoinKernel,
  formatKernel,
  csvKernel,
];
