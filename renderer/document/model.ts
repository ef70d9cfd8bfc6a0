/** The document as the window edits it: immutable, changed only by the operations of operations.ts. */

import type { CheckpointPlan } from "../../main/api/checkpoints.js";
import type { Engine, GpuChoice } from "../../main/api/cluster.js";
import type { DocumentFormat, DocumentKind } from "../../main/api/documents.js";
import type { FeedBatches, FeedValue } from "../../main/api/feeds.js";
import type { StopCondition } from "../../main/api/runs.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { TrainingPlan } from "../../worker-runtime/graph/training/trainable/plan.js";

/** Canvas coordinates in CSS pixels at 100 % zoom; a node's position is its top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One way to run the graph. Kept in the document's "tensordeck" collection. */
export interface RunConfig {
  /** Unique in the document. */
  readonly name: string;
  /** By tensor name, "x:0". */
  readonly feeds: Readonly<Record<string, FeedValue>>;
  /** Tensor names. Empty: the outputs that nothing consumes. */
  readonly fetches: readonly string[];
  /** Operations that are run for their effect. */
  readonly targets: readonly string[];
  /** The steps of a long run; 1: as many as the window has chosen. */
  readonly steps: number;
  readonly trace: boolean;
  /** With `trace`: one in so many steps; absent: as many as do not slow the run down. */
  readonly traceEvery?: number;
  /** The conditions that end a long run early. */
  readonly stops: readonly StopCondition[];
  /** How the feeds that are marked as batched are divided over the steps. */
  readonly batches: FeedBatches;
  /** How often a run saves checkpoints; absent: only when one is asked for. */
  readonly checkpoints?: CheckpointPlan;
  /** After how many steps the model is evaluated, by what another configuration fetches and feeds. */
  readonly evaluation?: { readonly every: number; readonly configuration: string };
  /** How the graph is trained, if this run trains it. */
  readonly training?: TrainingPlan;
}

/** All run configurations of a document. */
export interface RunConfigs {
  /** The chosen one. */
  readonly runConfig: RunConfig;
  /** All others. */
  readonly otherRuns: readonly RunConfig[];
  /** Name of the one that is chosen when the document is opened, and that the command line runs. */
  readonly defaultRun: string;
}

/** A task of the document's cluster. Machines are named, so that the document means the same on another installation. */
export interface ClusterConfigRow {
  readonly job: string;
  readonly index: number;
  /** Name of the machine that runs it; empty for a server that is started outside Tensordeck. */
  readonly machine: string;
  /** "host:port" as typed; empty: to be chosen when the task is started. */
  readonly address: string;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
}

/** Colours of frames and notes; "none" is that of the canvas. */
export const ANNOTATION_COLOURS = ["none", "blue", "yellow", "green", "pink", "orange", "violet"] as const;
export type AnnotationColour = (typeof ANNOTATION_COLOURS)[number];

/** A titled area behind nodes, or a text beside them. It means nothing to TensorFlow. */
export interface Annotation {
  readonly id: string;
  /** A frame holds the nodes that lie within it: they move with it. */
  readonly kind: "frame" | "note";
  /** The title of a frame, the words of a note. */
  readonly text: string;
  readonly colour: AnnotationColour;
  /** The top left corner, where nodes have positions. */
  readonly at: Point;
  readonly width: number;
  readonly height: number;
  /** Names of the nodes that it was made for. It stands at them where the window arranges the graph. */
  readonly nodes?: readonly string[] | undefined;
}

export interface GraphDocument extends RunConfigs {
  /** Its own from when it is made or opened until it is closed, also if it is saved under another name. */
  readonly id: string;
  readonly name: string;
  /** Absolute; absent for an example or a document that was never saved. */
  readonly path?: string;
  readonly kind: DocumentKind;
  readonly format: DocumentFormat;
  /** Everything the file holds except nodes, layout and run configuration; `graphDef.node` is empty here. */
  readonly metaGraph: MetaGraphDef;
  /** In the order of the file. The attribute that holds the position is not in it. */
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly layout: ReadonlyMap<string, Point>;
  /** The cluster that the document requests, kept in the "tensordeck" collection; empty: none. */
  readonly cluster: readonly ClusterConfigRow[];
  /** Frames and notes, lowest first, kept in the "tensordeck" collection. */
  readonly annotations: readonly Annotation[];
}

/**
 * Placeholder in `NodeDef.input` for a data input without a producer. Inputs are positional, so the slot must stay.
 * TensorFlow refuses an empty input name, hence such a node cannot be run, but it can be saved and opened again.
 */
export const MISSING_INPUT = "";

export const EMPTY_RUN_CONFIG: RunConfig = {
  name: "Main",
  feeds: {},
  fetches: [],
  targets: [],
  steps: 1,
  trace: false,
  stops: [],
  batches: { size: 32, dropLast: false },
};

/** The configurations of a document that says nothing of runs. */
export const EMPTY_RUN_CONFIGS: RunConfigs = {
  runConfig: EMPTY_RUN_CONFIG,
  otherRuns: [],
  defaultRun: EMPTY_RUN_CONFIG.name,
};
