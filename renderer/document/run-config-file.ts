/** The run configurations as a section of the document's settings. */
import { z } from "zod";
import {
  contentFeedFields,
  type FeedValue,
  feedBatchesSchema,
  fileFeedSchema,
  literalFeedSchema,
} from "../../main/api/feeds.js";
import { MAX_STEPS, MAX_STOP_CONDITIONS, stopConditionSchema } from "../../main/api/runs.js";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { RUN_SECTION, readSettings, writeSection } from "../../worker-runtime/graph/document-settings.js";
import { EMPTY_RUN_CONFIG, EMPTY_RUN_CONFIGS, type RunConfig, type RunConfigs } from "./model.js";
import { runConfigsOf } from "./run-configs.js";

/** As feedValueSchema of the contract, but content travels as base64. */
const storedFeedSchema = z.discriminatedUnion("kind", [
  literalFeedSchema,
  fileFeedSchema,
  z.object({ ...contentFeedFields, base64: z.string() }),
]);
type StoredFeed = z.infer<typeof storedFeedSchema>;

/** As the model, with defaults for what another version has left out. */
const storedConfigSchema = z.object({
  name: z.string().min(1).default(EMPTY_RUN_CONFIG.name),
  feeds: z.record(z.string(), storedFeedSchema).default({}),
  fetches: z.array(z.string()).default([]),
  targets: z.array(z.string()).default([]),
  steps: z.number().int().min(1).max(MAX_STEPS).default(1),
  trace: z.boolean().default(false),
  traceEvery: z.number().int().min(1).max(MAX_STEPS).optional().catch(undefined),
  stops: z.array(stopConditionSchema).max(MAX_STOP_CONDITIONS).default([]).catch([]),
  batches: feedBatchesSchema.default(EMPTY_RUN_CONFIG.batches).catch(EMPTY_RUN_CONFIG.batches),
});
type StoredConfig = z.infer<typeof storedConfigSchema>;

/** The default configuration, as versions before had the only one, and the others. */
const storedSchema = storedConfigSchema.loose().extend({
  others: z.array(storedConfigSchema).default([]).catch([]),
});

/** The configurations in the collection; empty if there are none or they cannot be read. The default one is chosen. */
export function readRunConfigs(collection: CollectionDef | undefined): RunConfigs {
  const run = readStored(collection);
  if (!run) return EMPTY_RUN_CONFIGS;
  const { name } = run;
  const names = new Set([name]);
  const others = run.others.filter((config) => !names.has(config.name) && names.add(config.name));
  return { runConfig: configOf(run), otherRuns: others.map(configOf), defaultRun: name };
}

/**
 * The collection with the configurations in it; settings of other versions and further values stay. Undefined when there
 * is nothing to say, so a foreign graph does not get a collection merely by being saved.
 */
export function writeRunConfigs(
  collection: CollectionDef | undefined,
  configs: RunConfigs,
): CollectionDef | undefined {
  const stored = readStored(collection);
  const all = runConfigsOf(configs);
  const first = all.find(({ name }) => name === configs.defaultRun) ?? configs.runConfig;
  if (all.length === 1 && isUnused(first) && !stored) return collection;
  const others = all.filter((config) => config !== first).map(storedOf);
  const { traceEvery: _, others: __, ...kept } = stored ?? {};
  return writeSection(collection, RUN_SECTION, {
    ...kept,
    ...storedOf(first),
    ...(others.length > 0 ? { others } : {}),
  });
}

function isUnused(config: RunConfig): boolean {
  return (
    Object.keys(config.feeds).length === 0 &&
    config.fetches.length === 0 &&
    config.targets.length === 0 &&
    config.stops.length === 0 &&
    config.steps === 1 &&
    config.name === EMPTY_RUN_CONFIG.name &&
    !config.trace
  );
}

function readStored(collection: CollectionDef | undefined): z.infer<typeof storedSchema> | undefined {
  return storedSchema.safeParse(readSettings(collection)?.[RUN_SECTION]).data;
}

function configOf({
  name,
  batches,
  fetches,
  targets,
  steps,
  trace,
  traceEvery,
  stops,
  ...stored
}: StoredConfig): RunConfig {
  const feeds: Record<string, FeedValue> = {};
  for (const [tensor, feed] of Object.entries(stored.feeds)) feeds[tensor] = fromStored(feed);
  return {
    ...{ name, feeds, fetches, targets, steps, trace, stops, batches },
    ...(traceEvery === undefined ? {} : { traceEvery }),
  };
}

function storedOf(config: RunConfig): object {
  const feeds: Record<string, StoredFeed> = {};
  for (const [tensor, feed] of Object.entries(config.feeds)) feeds[tensor] = toStored(feed);
  return { ...config, feeds };
}

function fromStored(feed: StoredFeed): FeedValue {
  if (feed.kind !== "content") return feed;
  const { base64, ...rest } = feed;
  return { ...rest, bytes: Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)) };
}

function toStored(feed: FeedValue): StoredFeed {
  if (feed.kind !== "content") return feed;
  const { bytes, ...rest } = feed;
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return { ...rest, base64: btoa(letters) };
}
