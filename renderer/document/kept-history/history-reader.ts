/**
 * Decodes the undo history of a draft. It is only used if each of its steps fits the document that it leads to: anything
 * else would make undo write a document that nobody has edited.
 */
import { decode } from "@msgpack/msgpack";
import { z } from "zod";
import type { KeptHistory } from "../../../main/api/drafts.js";
import { type FeedValue, feedValueSchema } from "../../../main/api/feeds.js";
import { FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { Sliced } from "../../../worker-runtime/graph/slices.js";
import type { History } from "../history.js";
import type { GraphDocument, Point, RunConfig, RunConfigs } from "../model.js";
import { apply, invert, type NodeChange, type Operation, type Transaction } from "../operations.js";
import { runConfigOf } from "../run-config-file.js";
import { fits } from "./step-fit.js";
import {
  MAX_KEPT_BYTES,
  outlineSchema,
  type StoredOperation,
  type StoredRun,
  type StoredRuns,
  storedLibrarySchema,
  storedMetaGraphSchema,
  storedStepSchema,
} from "./stored-step.js";

export interface RestoredState {
  /** The document has edits that its file lacks. */
  readonly unsaved: boolean;
  /** Its file is as it was when the draft was written, so undo may lead back to it. */
  readonly sameFile: boolean;
}

/** The history of a document that was restored from a draft; undefined if it cannot be read, or does not fit. */
export function* restoredHistory(
  document: GraphDocument,
  kept: KeptHistory,
  state: RestoredState,
): Sliced<History | undefined> {
  try {
    return yield* readHistory(document, kept, state);
  } catch {
    // It is damaged, or of another version: the document is whole without it.
    return undefined;
  }
}

function* readHistory(
  shown: GraphDocument,
  kept: KeptHistory,
  { unsaved, sameFile }: RestoredState,
): Sliced<History | undefined> {
  const sizeBytes = kept.parts.reduce((sum, { bytes }) => sum + bytes.length, kept.outline.length);
  if (sizeBytes > 2 * MAX_KEPT_BYTES) return undefined;
  const { steps: ids, done, saved, runs } = outlineSchema.parse(decode(kept.outline));
  const document = withRunsInOrder(shown, runs);
  if (document === undefined || done > ids.length) return undefined;
  const reader = new StepReader(kept);
  const steps: Transaction[] = [];
  for (const id of ids) {
    steps.push(reader.step(id));
    yield;
  }
  const past = steps.slice(0, done);
  const future = steps.slice(done).toReversed();
  if (
    !(yield* leadsOn(
      document,
      past.toReversed().map(({ operations }) => invert(operations)),
    ))
  )
    return undefined;
  if (
    !(yield* leadsOn(
      document,
      future.toReversed().map(({ operations }) => operations),
    ))
  )
    return undefined;
  const reaches = unsaved ? sameFile && saved !== undefined && saved !== done : true;
  const savedAfter = unsaved ? (reaches && saved ? steps[saved - 1] : undefined) : past.at(-1);
  return { document, past, future, savedAfter, savedReachable: reaches };
}

/** True if each of the steps fits what the ones before it lead to. */
function* leadsOn(document: GraphDocument, steps: readonly (readonly Operation[])[]): Sliced<boolean> {
  let state = document;
  for (const operations of steps) {
    for (const operation of operations) {
      if (!fits(state, operation)) return false;
      state = apply(state, [operation]);
      yield;
    }
    const placed = operations.flatMap((operation) => (operation.type === "layout" ? operation.moves : []));
    if (placed.some(({ node }) => state.layout.has(node) && !state.nodes.has(node))) return false;
  }
  return true;
}

/** The document with the chosen configuration, and the order, that it had; undefined if it has others. */
function withRunsInOrder(document: GraphDocument, names: readonly string[]): GraphDocument | undefined {
  const byName = new Map([document.runConfig, ...document.otherRuns].map((run) => [run.name, run]));
  const [runConfig, ...otherRuns] = names.flatMap((name) => byName.get(name) ?? []);
  if (runConfig === undefined || new Set(names).size !== byName.size || names.length !== byName.size)
    return undefined;
  return otherRuns.length + 1 === names.length ? { ...document, runConfig, otherRuns } : undefined;
}

/** Decodes each part once, so that steps share what they shared. @throws Error if it is damaged */
class StepReader {
  readonly #bytes: ReadonlyMap<number, Uint8Array>;
  readonly #read = new Map<string, unknown>();

  constructor({ parts }: KeptHistory) {
    this.#bytes = new Map(parts.map(({ id, bytes }) => [id, bytes]));
  }

  step(id: number): Transaction {
    const { label, operations, select, within, keepsValues } = storedStepSchema.parse(
      decode(this.#bytesOf(id)),
    );
    return {
      label,
      operations: operations.map((operation) => this.#operation(operation)),
      ...(select === undefined ? {} : { select }),
      ...(within === undefined ? {} : { within }),
      ...(keepsValues === undefined ? {} : { keepsValues }),
    };
  }

  #bytesOf(id: number): Uint8Array {
    const bytes = this.#bytes.get(id);
    if (bytes === undefined) throw new Error(`part ${id} is missing`);
    return bytes;
  }

  /** The content of a part, decoded once. A part may be named as something else than it is, which then is decoded apart. */
  #part<T>(kind: string, id: number, read: (bytes: Uint8Array) => T): T {
    const key = `${kind} ${id}`;
    if (!this.#read.has(key)) this.#read.set(key, read(this.#bytesOf(id)));
    return this.#read.get(key) as T;
  }

  #operation(operation: StoredOperation): Operation {
    switch (operation.type) {
      case "nodes":
        return { type: "nodes", changes: operation.changes.map(changeOf) };
      case "layout":
        return { type: "layout", moves: operation.moves.map(moveOf) };
      case "run-config":
        return { type: "run-config", before: this.#run(operation.before), after: this.#run(operation.after) };
      case "run-configs":
        return {
          type: "run-configs",
          before: this.#runs(operation.before),
          after: this.#runs(operation.after),
        };
      case "meta-graph":
        return {
          type: "meta-graph",
          before: this.#graph(operation.before),
          after: this.#graph(operation.after),
        };
      case "cluster":
      case "annotations":
        return operation;
    }
  }

  #run({ settings, feeds }: StoredRun): RunConfig {
    return runConfigOf(
      settings,
      this.#part("feeds", feeds, (bytes) => feedsSchema.parse(decode(bytes))),
    );
  }

  #runs({ runConfig, otherRuns, defaultRun }: StoredRuns): RunConfigs {
    return { runConfig: this.#run(runConfig), otherRuns: otherRuns.map((run) => this.#run(run)), defaultRun };
  }

  #graph(id: number): MetaGraphDef {
    return this.#part("graph", id, (bytes) => {
      const { rest, library } = storedMetaGraphSchema.parse(decode(bytes));
      const metaGraph = MetaGraphDef.decode(rest);
      const graphDef = {
        ...(metaGraph.graphDef ?? GraphDef.fromPartial({})),
        node: [],
        library: library === undefined ? undefined : this.#library(library),
      };
      return { ...metaGraph, graphDef };
    });
  }

  #library(id: number): FunctionDefLibrary {
    return this.#part("library", id, (bytes) => {
      const { rest, functions } = storedLibrarySchema.parse(decode(bytes));
      const definitions = functions.map((part) =>
        this.#part("function", part, (definition) => FunctionDef.decode(definition)),
      );
      return { ...FunctionDefLibrary.decode(rest), function: definitions };
    });
  }
}

const feedsSchema: z.ZodType<Record<string, FeedValue>> = z.record(z.string(), feedValueSchema);

function changeOf({ before, after, index }: StoredChange): NodeChange {
  return {
    ...(before === undefined ? {} : { before: NodeDef.decode(before) }),
    ...(after === undefined ? {} : { after: NodeDef.decode(after) }),
    index,
  };
}

function moveOf({ node, from, to }: StoredMove): { node: string; from?: Point; to?: Point } {
  return { node, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

type StoredChange = Extract<StoredOperation, { type: "nodes" }>["changes"][number];
type StoredMove = Extract<StoredOperation, { type: "layout" }>["moves"][number];
