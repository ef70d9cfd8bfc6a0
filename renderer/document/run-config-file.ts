/** The run configurations as a section of the document's settings. */
import { z } from "zod";
import { checkpointPlanSchema } from "../../main/api/checkpoints.js";
import {
  contentFeedFields,
  type FeedValue,
  feedBatchesSchema,
  fileFeedSchema,
  literalFeedSchema,
} from "../../main/api/feeds.js";
import { MAX_STEPS, MAX_STOP_CONDITIONS, stopConditionSchema } from "../../main/api/runs.js";
import { trainingPlanSchema } from "../../main/api/training.js";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { RUN_SECTION, readSettings, writeSection } from "../../worker-runtime/graph/document-settings.js";
import { FileContents } from "./file-contents.js";
import { EMPTY_RUN_CONFIG, EMPTY_RUN_CONFIGS, type RunConfig, type RunConfigs } from "./model.js";
import { runConfigsOf } from "./run-configs.js";

/** As feedValueSchema of the contract, but content is kept beside the feeds; in documents of before, in the feed. */
const storedFeedSchema = z.discriminatedUnion("kind", [
  literalFeedSchema,
  fileFeedSchema,
  z.object({ ...contentFeedFields, base64: z.string().optional(), content: z.string().optional() }),
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
  checkpoints: checkpointPlanSchema.optional().catch(undefined),
  evaluation: z
    .object({ every: z.number().int().min(1).max(MAX_STEPS), configuration: z.string() })
    .optional()
    .catch(undefined),
  training: trainingPlanSchema.optional().catch(undefined),
});
type StoredConfig = z.infer<typeof storedConfigSchema>;

/** A configuration but for its feeds. */
export const runSettingsSchema = storedConfigSchema.omit({ feeds: true });

/** The default configuration, as versions before had the only one, and the others. */
const storedSchema = storedConfigSchema.loose().extend({
  others: z.array(storedConfigSchema).default([]).catch([]),
  /** The contents of files that feeds of all configurations name, as base64. */
  contents: z.record(z.string(), z.string()).default({}),
});

/** The configurations in the collection; empty if there are none or they cannot be read. The default one is chosen. */
export function readRunConfigs(collection: CollectionDef | undefined): RunConfigs {
  const run = readStored(collection);
  if (!run) return EMPTY_RUN_CONFIGS;
  const { name } = run;
  const names = new Set([name]);
  const others = run.others.filter((config) => !names.has(config.name) && names.add(config.name));
  const contents = new FileContents(run.contents);
  const read = (config: StoredConfig) => configOf(config, contents);
  return { runConfig: read(run), otherRuns: others.map(read), defaultRun: name };
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
  const contents = new FileContents();
  const chosen = storedOf(first, contents);
  const others = all.filter((config) => config !== first).map((config) => storedOf(config, contents));
  const {
    traceEvery: _,
    others: __,
    contents: ___,
    training: ____,
    checkpoints: _____,
    evaluation: ______,
    ...kept
  } = stored ?? {};
  return writeSection(collection, RUN_SECTION, {
    ...kept,
    ...chosen,
    ...(others.length > 0 ? { others } : {}),
    ...contents.toStored(),
  });
}

function isUnused(config: RunConfig): boolean {
  return (
    Object.keys(config.feeds).length === 0 &&
    config.fetches.length === 0 &&
    config.targets.length === 0 &&
    config.stops.length === 0 &&
    config.steps === 1 &&
    config.checkpoints === undefined &&
    config.name === EMPTY_RUN_CONFIG.name &&
    !config.trace
  );
}

function readStored(collection: CollectionDef | undefined): z.infer<typeof storedSchema> | undefined {
  return storedSchema.safeParse(readSettings(collection)?.[RUN_SECTION]).data;
}

function configOf({ feeds: stored, ...settings }: StoredConfig, contents: FileContents): RunConfig {
  const feeds: Record<string, FeedValue> = {};
  for (const [tensor, feed] of Object.entries(stored)) {
    const value = fromStored(feed, contents);
    if (value) feeds[tensor] = value;
  }
  return runConfigOf(settings, feeds);
}

/** A configuration of settings that were read, and feeds. */
export function runConfigOf(
  settings: z.infer<typeof runSettingsSchema>,
  feeds: Readonly<Record<string, FeedValue>>,
): RunConfig {
  const { name, batches, fetches, targets, steps, trace, stops } = settings;
  const { traceEvery, checkpoints, evaluation, training } = settings;
  return {
    ...{ name, feeds, fetches, targets, steps, trace, stops, batches },
    ...(traceEvery === undefined ? {} : { traceEvery }),
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(evaluation === undefined ? {} : { evaluation }),
    ...(training === undefined ? {} : { training }),
  };
}

function storedOf(config: RunConfig, contents: FileContents): object {
  const feeds: Record<string, StoredFeed> = {};
  for (const [tensor, feed] of Object.entries(config.feeds)) feeds[tensor] = toStored(feed, contents);
  return { ...config, feeds };
}

/** Undefined for content that the document does not hold. */
function fromStored(feed: StoredFeed, contents: FileContents): FeedValue | undefined {
  if (feed.kind !== "content") return feed;
  const { base64, content = "", ...rest } = feed;
  const bytes = base64 === undefined ? contents.bytesOf(content) : contents.shared(base64);
  return bytes && { ...rest, bytes };
}

function toStored(feed: FeedValue, contents: FileContents): StoredFeed {
  if (feed.kind !== "content") return feed;
  const { bytes, ...rest } = feed;
  return { ...rest, content: contents.idOf(bytes) };
}
