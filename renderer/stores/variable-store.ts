import type { Problem } from "../../main/api/problem.js";
import type { KeptVariable, VariableFigures, VariableState } from "../../main/api/variables.js";
import type { GraphDocument } from "../document/model.js";
import { perDocument } from "./document-session.js";

/** The facts about the values of a document's variables. */
export interface VariableStore {
  /** The nodes that the application knows as `graphId`. */
  readonly nodes: GraphDocument["nodes"] | undefined;
  readonly graphId: string | undefined;
  readonly states: ReadonlyMap<string, VariableState>;
  /** The figures of those that were looked at since the values were read last. */
  readonly figures: ReadonlyMap<string, VariableFigures>;
  /** Opened as tensors, by the variable's name. */
  readonly kept: ReadonlyMap<string, KeptVariable & { readonly readAt: number }>;
  /** When the values were read last, in milliseconds since the epoch, and the step that the newest run had done. */
  readonly readAt: number | undefined;
  readonly step: number | undefined;
  /** Values are being read. */
  readonly reading: boolean;
  /** Why they could not be read. */
  readonly problem: Problem | undefined;
}

export const useVariables = perDocument<VariableStore>(() => ({
  nodes: undefined,
  graphId: undefined,
  states: new Map(),
  figures: new Map(),
  kept: new Map(),
  readAt: undefined,
  step: undefined,
  reading: false,
  problem: undefined,
}));
