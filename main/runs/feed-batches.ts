/** The feeds of each step: rows of what is fed in batches, the whole of everything else. */

import { rowsAt, shuffledRows } from "../../worker-runtime/data/rows.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedBatches } from "../api/feeds.js";
import { problem } from "../shared/problems.js";

/** The feeds of a run's steps. */
export interface StepFeeds {
  readonly names: readonly string[];
  /** Steps until the epochs are over; undefined if nothing ends them. */
  readonly steps: number | undefined;
  /** Rows of what is fed in batches in a step, counted from 1; undefined if nothing is. */
  examples?(step: number): number;
  /** The feeds of a step, counted from 1. */
  at(step: number): ReadonlyMap<string, Tensor>;
}

/** The same values in every step. */
export function constantFeeds(tensors: ReadonlyMap<string, Tensor>): StepFeeds {
  return { names: [...tensors.keys()], steps: undefined, at: () => tensors };
}

/** Feeds with further ones that are the same in every step. */
export function withConstants(feeds: StepFeeds, more: ReadonlyMap<string, Tensor>): StepFeeds {
  if (more.size === 0) return feeds;
  return {
    names: [...new Set([...feeds.names, ...more.keys()])],
    steps: feeds.steps,
    ...(feeds.examples ? { examples: feeds.examples } : {}),
    at: (step) => new Map([...feeds.at(step), ...more]),
  };
}

/**
 * @param batched tensors whose first dimension counts rows; at least one
 * @throws ProblemError INVALID_ARGUMENT when they do not have the same number of rows, or too few for a batch
 */
export function batchedFeeds(
  whole: ReadonlyMap<string, Tensor>,
  batched: ReadonlyMap<string, Tensor>,
  batches: FeedBatches,
): StepFeeds {
  const rows = commonRows(batched);
  const { size, dropLast, epochs, seed } = batches;
  const perEpoch = dropLast ? Math.floor(rows / size) : Math.ceil(rows / size);
  if (perEpoch === 0) {
    throw problem("INVALID_ARGUMENT", `The feeds have ${rowsText(rows)}, too few for a batch of ${size}.`, {
      remedy: "Make the batches smaller.",
    });
  }
  let shuffled: { readonly epoch: number; readonly rows: Uint32Array } | undefined;
  const orderOf = (epoch: number) => {
    if (seed === undefined) return undefined;
    if (shuffled?.epoch !== epoch) shuffled = { epoch, rows: shuffledRows(rows, seed, epoch) };
    return shuffled.rows;
  };
  const partOf = (step: number) => {
    const from = ((step - 1) % perEpoch) * size;
    return { from, to: Math.min(from + size, rows) };
  };
  return {
    names: [...whole.keys(), ...batched.keys()],
    steps: epochs === undefined ? undefined : epochs * perEpoch,
    examples(step) {
      const { from, to } = partOf(step);
      return to - from;
    },
    at(step) {
      const epoch = Math.floor((step - 1) / perEpoch);
      const { from, to } = partOf(step);
      const order = orderOf(epoch);
      const feeds = new Map(whole);
      for (const [name, tensor] of batched) feeds.set(name, rowsAt(tensor, from, to, order));
      return feeds;
    },
  };
}

function commonRows(batched: ReadonlyMap<string, Tensor>): number {
  let first: { readonly name: string; readonly rows: number } | undefined;
  for (const [name, { shape }] of batched) {
    const [rows] = shape;
    if (rows === undefined) {
      throw problem("INVALID_ARGUMENT", `The value of ${name} has no rows to be fed in batches.`, {
        reason: "It is a single number.",
        node: nodeOf(name),
      });
    }
    first ??= { name, rows };
    if (first.rows === rows) continue;
    throw problem("INVALID_ARGUMENT", "What is fed in batches must have as many rows everywhere.", {
      reason: `${first.name} has ${rowsText(first.rows)}, ${name} has ${rowsText(rows)}.`,
      remedy: "Choose files that belong together.",
      node: nodeOf(name),
    });
  }
  return first?.rows ?? 0;
}

function nodeOf(tensor: string): string {
  return tensor.slice(0, tensor.lastIndexOf(":"));
}

function rowsText(rows: number): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}
