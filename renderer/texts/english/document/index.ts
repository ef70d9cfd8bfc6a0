/** Texts of the open graph: its edits, its problems, and the values that are typed or read from files. */
import { edits } from "./edits.js";
import { functionEdits } from "./function-edits.js";
import { modules } from "./modules.js";
import { runEdits } from "./run-edits.js";

export const document = {
  ...modules,
  edits: { ...edits, ...functionEdits, ...runEdits },
} as const;
