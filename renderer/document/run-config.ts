/** The run configuration as a section of the document's settings. */
import { z } from "zod";
import type { FeedValue } from "../../main/api/runs.js";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { RUN_SECTION, readSettings, writeSection } from "../../worker-runtime/graph/document-settings.js";
import { EMPTY_RUN_CONFIG, type RunConfig } from "./model.js";

const columnSchema = z.union([z.string(), z.number().int().nonnegative()]).optional();

/** As feedValueSchema of the contract, but content travels as base64. */
const storedFeedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("literal"), text: z.string() }),
  z.object({ kind: z.literal("file"), path: z.string(), column: columnSchema }),
  z.object({ kind: z.literal("content"), name: z.string(), base64: z.string(), column: columnSchema }),
]);
type StoredFeed = z.infer<typeof storedFeedSchema>;

const storedSchema = z.looseObject({
  feeds: z.record(z.string(), storedFeedSchema).default({}),
  fetches: z.array(z.string()).default([]),
  targets: z.array(z.string()).default([]),
  steps: z.number().int().min(1).max(1_000_000).default(1),
  trace: z.boolean().default(false),
});

/** The configuration in the collection; empty if there is none or it cannot be read. */
export function readRunConfig(collection: CollectionDef | undefined): RunConfig {
  const run = readStored(collection);
  if (!run) return EMPTY_RUN_CONFIG;
  const feeds: Record<string, FeedValue> = {};
  for (const [name, feed] of Object.entries(run.feeds)) feeds[name] = fromStored(feed);
  return { feeds, fetches: run.fetches, targets: run.targets, steps: run.steps, trace: run.trace };
}

/**
 * The collection with `config` in it; settings of other versions and further values stay. Undefined when there is
 * nothing to say, so a foreign graph does not get a collection merely by being saved.
 */
export function writeRunConfig(
  collection: CollectionDef | undefined,
  config: RunConfig,
): CollectionDef | undefined {
  const stored = readStored(collection);
  const unused =
    Object.keys(config.feeds).length === 0 &&
    config.fetches.length === 0 &&
    config.targets.length === 0 &&
    config.steps === 1 &&
    !config.trace;
  if (unused && !stored) return collection;
  const feeds: Record<string, StoredFeed> = {};
  for (const [name, feed] of Object.entries(config.feeds)) feeds[name] = toStored(feed);
  return writeSection(collection, RUN_SECTION, { ...stored, ...config, feeds });
}

function readStored(collection: CollectionDef | undefined): z.infer<typeof storedSchema> | undefined {
  return storedSchema.safeParse(readSettings(collection)?.[RUN_SECTION]).data;
}

function fromStored(feed: StoredFeed): FeedValue {
  if (feed.kind !== "content") return feed;
  const bytes = Uint8Array.from(atob(feed.base64), (letter) => letter.charCodeAt(0));
  return {
    kind: "content",
    name: feed.name,
    bytes,
    ...(feed.column === undefined ? {} : { column: feed.column }),
  };
}

function toStored(feed: FeedValue): StoredFeed {
  if (feed.kind !== "content") return feed;
  let letters = "";
  for (const byte of feed.bytes) letters += String.fromCharCode(byte);
  return {
    kind: "content",
    name: feed.name,
    base64: btoa(letters),
    ...(feed.column === undefined ? {} : { column: feed.column }),
  };
}
