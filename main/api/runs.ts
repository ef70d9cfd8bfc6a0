import { z } from "zod";
import { checkpointPlanSchema, runCheckpointsSchema } from "./checkpoints.js";
import { bytesSchema } from "./documents.js";
import { evaluationPlanSchema, evaluationSchema } from "./evaluation.js";
import { feedBatchesSchema, feedValueSchema } from "./feeds.js";
import { kernelListSchema } from "./kernels.js";
import { method, nothing } from "./method.js";
import { problemSchema } from "./problem.js";
import { recoveryOfferSchema, recoverySchema } from "./recoveries.js";
import { runOriginSchema, runStateSchema } from "./run-state.js";
import { trainingFiguresSchema, trainingPlanSchema } from "./training.js";

export const MAX_STEPS = 1_000_000;

/** When a run of several steps ends early, by a fetched tensor of one real element. */
export const stopConditionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("below"), tensor: z.string(), value: z.number() }),
  z.object({ kind: z.literal("above"), tensor: z.string(), value: z.number() }),
  /** NaN or infinite. */
  z.object({ kind: z.literal("not-finite"), tensor: z.string() }),
  /** The tensor was fetched so many times without being better than its best by more than `minDelta`. */
  z.object({
    kind: z.literal("no-improvement"),
    tensor: z.string(),
    /** Whether less or more is better. */
    mode: z.enum(["min", "max"]),
    patience: z.number().int().min(1).max(MAX_STEPS),
    minDelta: z.number().nonnegative(),
    /** Give the variables the values of the best checkpoint then. */
    restoresBest: z.boolean().optional(),
  }),
]);
export type StopCondition = z.infer<typeof stopConditionSchema>;

export const MAX_STOP_CONDITIONS = 8;

/** How the variables and tables of a SavedModel get their saved values before the first step. */
export const runRestoreSchema = z.object({
  /** The `sourceId` that the document was opened with. */
  sourceId: z.string(),
  /** A serialized MetaGraphDef without nodes: its parts besides the graph of the request. */
  notes: bytesSchema,
  /** False: the user runs without the saved values, and the results are marked. */
  wanted: z.boolean(),
});

export const runRequestSchema = z.object({
  /** A serialized GraphDef, without attributes of Tensordeck's own. */
  graph: bytesSchema,
  feeds: z.array(z.object({ name: z.string(), value: feedValueSchema })),
  /** Tensors that are fed what an earlier run gave for them; what computes them is not run. */
  reused: z.object({ runId: z.string().max(64), names: z.array(z.string()).max(10_000) }).optional(),
  /** How the feeds that are marked as batched are taken from their files; needed if there are any. */
  batches: feedBatchesSchema.optional(),
  /** Tensor names, "z:0". */
  fetches: z.array(z.string()),
  /** Names of operations that are run for their effect. */
  targets: z.array(z.string()),
  steps: z.number().int().min(1).max(MAX_STEPS),
  /** Record which node ran on which device, when, and for how long. */
  trace: z.boolean(),
  /** With `trace`: the first of every so many steps is traced; absent: as many as do not slow the run down. */
  traceEvery: z.number().int().min(1).max(MAX_STEPS).optional(),
  /** The run is done as soon as one of them holds. Their tensors must be fetched. */
  stops: z.array(stopConditionSchema).max(MAX_STOP_CONDITIONS).optional(),
  /** The run trains the graph so; its targets and fetches are run besides. */
  training: trainingPlanSchema.optional(),
  /** Runs besides the steps; its results count for stop conditions and the best checkpoint. */
  evaluation: evaluationPlanSchema.optional(),
  /** Absent: checkpoints are saved only when the user asks for one. */
  checkpoints: checkpointPlanSchema.optional(),
  /** Ends a step with DEADLINE_EXCEEDED; 0 or absent: no limit. */
  stepTimeoutMillis: z.number().int().nonnegative().optional(),
  /** Only for a graph of a SavedModel. */
  restore: runRestoreSchema.optional(),
  softPlacement: z.boolean(),
  logDevicePlacement: z.boolean(),
  /** The name of the run configuration, for the history of runs. */
  configuration: z.string().max(200).optional(),
  /** Absent for a run that no window started. */
  origin: runOriginSchema.optional(),
});
export type RunRequest = z.infer<typeof runRequestSchema>;

/** A fetched tensor, small enough to be shown. Any part of it is read with `tensors.cells`. */
export const tensorPreviewSchema = z.object({
  name: z.string(),
  dtype: z.string(),
  shape: z.array(z.number()),
  /** The first elements in row-major order, formatted for TensorFlow's dtype; at most 1,000. */
  values: z.array(z.string()),
  elementCount: z.number(),
  byteLength: z.number(),
});
export type TensorPreview = z.infer<typeof tensorPreviewSchema>;

/** A trace's record of one node of the user's graph. */
export const nodeRunSchema = z.object({
  node: z.string(),
  device: z.string(),
  /** Relative to the start of the step. */
  startMicros: z.number(),
  durationMicros: z.number(),
  outputBytes: z.number(),
  /** The most that it held at one time of what it allocated itself; absent if that was not recorded. */
  peakBytes: z.number().optional(),
  /** How many nodes ran as one with it: its time is its share of theirs. Absent if it ran alone. */
  together: z.number().int().positive().optional(),
});
export type NodeRun = z.infer<typeof nodeRunSchema>;

/** A tensor that went from one task to another during the step. */
export const transferSchema = z.object({
  /** The tensor's name, "x:0"; "^x" for a control edge; empty if the trace does not tell. */
  tensor: z.string(),
  fromDevice: z.string(),
  toDevice: z.string(),
  startMicros: z.number(),
  durationMicros: z.number(),
  /** Absent if unknown. */
  bytes: z.number().optional(),
  /** True if it carried what the client fed or fetched: no node of the receiving task reads it. */
  forClient: z.boolean().optional(),
  /**
   * False if no task recorded it, but the placement of its nodes implies it: the times are then from the end of the
   * node that made it to the start of the first that read it.
   */
  timed: z.boolean(),
});
export type Transfer = z.infer<typeof transferSchema>;

/** Sent when a run changes and at most four times a second while it is running. */
export const runUpdateSchema = z.object({
  runId: z.string(),
  /** The document with which the run was started. */
  origin: runOriginSchema.optional(),
  state: runStateSchema,
  /** The current phase before the first step: "Waiting for worker/1", "Creating the session". */
  phase: z.string().optional(),
  /** Steps finished. */
  step: z.number().int().nonnegative(),
  steps: z.number().int().positive(),
  /** A trace was asked for; the first step and one of the next ones are traced in any case. */
  trace: z.boolean(),
  /** Since the first step began. */
  elapsedMillis: z.number(),
  /** Milliseconds since the named phase or the step in progress began. */
  currentMillis: z.number(),
  /** Duration of the newest finished step, as the client saw it. */
  stepMillis: z.number().optional(),
  /** True while the newest finished step was the first of its kind, which includes placing and registering the graph. */
  stepRegisteredGraph: z.boolean().optional(),
  /** Time taken to create the session; absent when an open one was reused. */
  sessionMillis: z.number().optional(),
  /** Duration of the traced step, as the client saw it. */
  tracedStepMillis: z.number().optional(),
  /** True while the traced step was the first of its kind. */
  tracedStepRegisteredGraph: z.boolean().optional(),
  /** The time of the traced step, from the start of its first node to the end of its last one, as the tasks measured. */
  computeMillis: z.number().optional(),
  /** Task whose master runs the steps, as "worker/0". */
  master: z.string().optional(),
  /** Rows that are fed in a step, if some feeds are in batches; of several workers, in each one's. */
  examplesPerStep: z.number().optional(),
  /** The figures of a run in which every worker has a session of its own. */
  training: trainingFiguresSchema.optional(),
  /** The evaluation of a run that evaluates its model. */
  evaluation: evaluationSchema.optional(),
  /** The checkpoints of a run that has saved, or is going to save, checkpoints. */
  checkpoints: runCheckpointsSchema.optional(),
  /** How often it went on from a checkpoint after a task was lost, the newest last; absent: never. */
  recoveries: z.array(recoverySchema).optional(),
  /** The offer of a failed run that `runs.goOn` can continue. */
  recovery: recoveryOfferSchema.optional(),
  /** Results of the newest finished step. */
  fetches: z.array(tensorPreviewSchema),
  /** Where the nodes ran; from the newest traced step. Both lists are empty if `eventCount` is there. */
  nodes: z.array(nodeRunSchema),
  transfers: z.array(transferSchema),
  /** Number of the step that `nodes` and `transfers` belong to; absent when none was traced. */
  tracedStep: z.number().int().positive().optional(),
  /** How many nodes and transfers that step has, if these are too many to come along: `runs.traceEvents` has them. */
  eventCount: z.number().int().positive().optional(),
  /** Why it was done before its last step: "loss:0 fell below 0.01". */
  endedEarly: z.string().optional(),
  /** True if the graph is a SavedModel's and its saved values were left out: its results are not the model's. */
  withoutSavedValues: z.boolean().optional(),
  /** True when it failed because the saved values could not be read. */
  restoreFailed: z.boolean().optional(),
  problem: problemSchema.optional(),
});
export type RunUpdate = z.infer<typeof runUpdateSchema>;

export const runMethods = {
  /** Starts a run and resolves to its id; everything else comes as `run` events. */
  "runs.start": method(runRequestSchema, z.object({ runId: z.string() })),
  /** Finishes the current step, then stops; with `abort` the step is cancelled too. */
  "runs.stop": method(z.object({ runId: z.string(), abort: z.boolean() }), nothing),
  /** Holds the run after its current step; its session, and what it computes with, stays. */
  "runs.pause": method(z.object({ runId: z.string() }), nothing),
  "runs.resume": method(z.object({ runId: z.string() }), nothing),
  /** Saves a checkpoint after the current step; what came of it is told with the run. */
  "runs.saveCheckpoint": method(z.object({ runId: z.string() }), nothing),
  /**
   * Continues a failed run with a `recovery`: starts the tasks that it needs, restores the newest whole checkpoint and runs the
   * steps after it. It may have been followed by others, which must be over.
   */
  "runs.goOn": method(z.object({ runId: z.string() }), nothing),
  /** Gives up a failed run with a `recovery`. */
  "runs.dismissRecovery": method(z.object({ runId: z.string() }), nothing),
  "runs.latest": method(nothing, runUpdateSchema.optional()),
  /** The Chrome trace (JSON) of the newest traced step. */
  "runs.chromeTrace": method(z.object({ runId: z.string() }), z.string()),

  /** The engine's own op list, a serialized OpList without descriptions. */
  "ops.list": method(nothing, z.object({ source: z.string(), opList: bytesSchema })),

  /** The portable engine's kernels. Takes a few tenths of a second the first time. */
  "kernels.list": method(nothing, kernelListSchema),
} as const;

export const runEvents = {
  run: runUpdateSchema,
} as const;
