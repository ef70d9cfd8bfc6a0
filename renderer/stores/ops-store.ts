/** The engine's own op list, and the search over it. */
import { create } from "zustand";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { OpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { type OpEntry, opEntries } from "../document/op-entries.js";
import type { OpLookup } from "../document/signature.js";
import { client } from "../transport/client.js";

export interface OpsStore {
  readonly state: "loading" | "ready" | "failed";
  /** Where the list comes from, in words: "TensorFlow 2.21.0". */
  readonly source: string;
  /** Empty until the list is loaded. */
  readonly ops: OpRegistry;
  /** The ops that the panel lists: without internal ops, sorted by category and name. */
  readonly entries: readonly OpEntry[];
  readonly problem: Problem | undefined;
}

export const useOps = create<OpsStore>()(() => ({
  state: "loading",
  source: "",
  ops: OpRegistry.fromBytes(new Uint8Array(0)),
  entries: [],
  problem: undefined,
}));

/** Asks the application for the op list; again after the runtime changed. */
export async function loadOps(): Promise<void> {
  try {
    const { source, opList } = await client().call("ops.list");
    await idle();
    const ops = OpRegistry.fromBytes(opList);
    useOps.setState({ state: "ready", source, ops, entries: opEntries(ops.names()), problem: undefined });
  } catch (error) {
    useOps.setState({ state: "failed", problem: toProblem(error) });
  }
}

/** Reading the list and sorting it into categories must not delay the first frame. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 200 });
    else setTimeout(resolve, 0);
  });
}

export const engineOps: OpLookup = (op) => useOps.getState().ops.get(op);
