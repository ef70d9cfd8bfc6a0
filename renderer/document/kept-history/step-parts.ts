/** Encodes steps of the undo history as parts, each of which is encoded and numbered once. */
import { encode } from "@msgpack/msgpack";
import { FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { RunConfig, RunConfigs } from "../model.js";
import type { NodeChange, Operation, Transaction } from "../operations.js";
import { MAX_KEPT_BYTES } from "./stored-step.js";

/** A step, or something that steps share. */
export interface Part {
  readonly id: number;
  readonly sizeBytes: number;
  /** Those that it names. */
  readonly parts: readonly Part[];
  readonly encode: () => Uint8Array;
}

class StepTooLarge extends Error {}

export class StepParts {
  /** undefined: a step that is too large to be kept. */
  readonly #known = new WeakMap<object, Part | undefined>();
  readonly #fresh = new Map<number, Uint8Array>();
  #nextId = 0;

  /** The part of a step; undefined if it is too large to be kept. */
  of(step: Transaction): Part | undefined {
    if (this.#known.has(step)) return this.#known.get(step);
    try {
      const parts = new Set<Part>();
      const operations = step.operations.map((operation) => this.#operation(operation, parts));
      const { label, select, within, keepsValues } = step;
      return this.#part(step, [...parts], () =>
        encode({ label, operations, select, within, keepsValues }, { ignoreUndefined: true }),
      );
    } catch (error) {
      if (!(error instanceof StepTooLarge)) throw error;
      this.#known.set(step, undefined);
      return undefined;
    }
  }

  bytesOf(part: Part): Uint8Array {
    return this.#fresh.get(part.id) ?? part.encode();
  }

  /** Drops the bytes of parts that were encoded so far; they can be encoded again. */
  release(): void {
    this.#fresh.clear();
  }

  #part(of: object, parts: readonly Part[], encoded: () => Uint8Array): Part {
    const known = this.#known.get(of);
    if (known) return known;
    const bytes = encoded();
    if (bytes.length > MAX_KEPT_BYTES) throw new StepTooLarge();
    const part = { id: this.#nextId++, sizeBytes: bytes.length, parts, encode: encoded };
    this.#known.set(of, part);
    this.#fresh.set(part.id, bytes);
    return part;
  }

  /** @param parts gets those that the operation names */
  #operation(operation: Operation, parts: Set<Part>): object {
    const { type } = operation;
    switch (operation.type) {
      case "nodes":
        return { type, changes: storedChanges(operation.changes) };
      case "run-config":
        return { type, before: this.#run(operation.before, parts), after: this.#run(operation.after, parts) };
      case "run-configs":
        return {
          type,
          before: this.#runs(operation.before, parts),
          after: this.#runs(operation.after, parts),
        };
      case "meta-graph":
        return {
          type,
          before: this.#graph(operation.before, parts),
          after: this.#graph(operation.after, parts),
        };
      case "layout":
      case "cluster":
      case "annotations":
        return operation;
    }
  }

  #run({ feeds, ...settings }: RunConfig, parts: Set<Part>): object {
    const part = this.#part(feeds, [], () => {
      let sizeBytes = 0;
      for (const feed of Object.values(feeds)) if (feed.kind === "content") sizeBytes += feed.bytes.length;
      if (sizeBytes > MAX_KEPT_BYTES) throw new StepTooLarge();
      return encode(feeds, { ignoreUndefined: true });
    });
    parts.add(part);
    return { settings, feeds: part.id };
  }

  #runs({ runConfig, otherRuns, defaultRun }: RunConfigs, parts: Set<Part>): object {
    return {
      runConfig: this.#run(runConfig, parts),
      otherRuns: otherRuns.map((run) => this.#run(run, parts)),
      defaultRun,
    };
  }

  #graph(metaGraph: MetaGraphDef, parts: Set<Part>): number {
    const { graphDef = GraphDef.fromPartial({}) } = metaGraph;
    const library = graphDef.library && this.#library(graphDef.library);
    const part = this.#part(metaGraph, library ? [library] : [], () => {
      const rest = MetaGraphDef.encode({
        ...metaGraph,
        graphDef: { ...graphDef, library: undefined },
      }).finish();
      return encode({ rest, library: library?.id }, { ignoreUndefined: true });
    });
    parts.add(part);
    return part.id;
  }

  #library(library: FunctionDefLibrary): Part {
    const known = this.#known.get(library);
    if (known) return known;
    const functions = library.function.map((definition) => this.#function(definition));
    return this.#part(library, functions, () => {
      const rest = FunctionDefLibrary.encode({ ...library, function: [] }).finish();
      return encode({ rest, functions: functions.map(({ id }) => id) });
    });
  }

  #function(definition: FunctionDef): Part {
    return this.#part(definition, [], () => {
      if (definition.nodeDef.some(isLarge)) throw new StepTooLarge();
      return FunctionDef.encode(definition).finish();
    });
  }
}

function storedChanges(changes: readonly NodeChange[]): object[] {
  let sizeBytes = 0;
  const stored = (node: NodeDef | undefined): Uint8Array | undefined => {
    if (node === undefined) return undefined;
    if (isLarge(node)) throw new StepTooLarge();
    const bytes = NodeDef.encode(node).finish();
    sizeBytes += bytes.length;
    // Before the rest is encoded, which may be long.
    if (sizeBytes > MAX_KEPT_BYTES) throw new StepTooLarge();
    return bytes;
  };
  return changes.map(({ before, after, index }) => ({ before: stored(before), after: stored(after), index }));
}

/** True if the values in a node alone are more than is kept: they need not be encoded to know that. */
function isLarge({ attr }: NodeDef): boolean {
  let sizeBytes = 0;
  for (const { value } of attr.values()) {
    if (value?.$case === "tensor") sizeBytes += value.value.tensorContent.length;
  }
  return sizeBytes > MAX_KEPT_BYTES;
}
