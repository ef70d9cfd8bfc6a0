/** The part of a script that runs the graph that it builds. */
import type { ClusterSpec } from "../../cluster/cluster-spec.js";

/** Images that the user chose, as bytes; they are in no file. */
export interface ScriptPixels {
  readonly kind: "pixels";
  readonly bytes: Uint8Array;
  readonly shape: readonly number[];
  /** The range of a byte in float32: 0 to 1, -1 to 1, or 0 to 255. */
  readonly range: "unit" | "signed" | "byte";
  /** The dtype of the placeholder. */
  readonly dtype: "float32" | "uint8";
}

/** A value fed to a tensor, as the user gave it. */
export type ScriptFeed =
  | ScriptPixels
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "file";
      readonly path: string;
      /** For CSV: the header's name or the 0-based number of a column; all of them if omitted. */
      readonly column?: string | number;
      /** For TFRecord: how a record's feature is read. */
      readonly feature?: ScriptFeature;
    };

/** As tf.io.FixedLenFeature; what is left out is as the records say. */
export interface ScriptFeature {
  readonly dtype?: "float32" | "int64" | "string" | undefined;
  readonly shape?: readonly number[] | undefined;
  /** As the user typed it. */
  readonly default?: string | undefined;
}

export interface ScriptRun {
  /** Tensors by name, "z:0". */
  readonly fetches: readonly string[];
  /** Operations run for their effect in each step. */
  readonly targets: readonly string[];
  /** Operations that give variables their first values, run once. */
  readonly initialisers: readonly string[];
  /** By tensor name, "x:0". */
  readonly feeds: Readonly<Record<string, ScriptFeed>>;
  readonly steps: number;
  /** The cluster that runs it, and the task whose master does; the script's own process if omitted. */
  readonly cluster?: {
    readonly spec: ClusterSpec;
    readonly master: { readonly job: string; readonly index: number };
  };
}
