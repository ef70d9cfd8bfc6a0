/** The choices in the dialog that makes a graph trainable, while the canvas is used for it. */
import type { LayerValues } from "../../worker-runtime/graph/layers/index.js";
import type { Scheme } from "../../worker-runtime/graph/training/trainable/plan.js";
import type { GraphDocument } from "../document/model.js";
import { perDocument } from "./document-session.js";

/** The user's ticks, where they differ from what is suggested. */
export type Ticks = ReadonlyMap<string, boolean>;

/** Everything that is chosen. */
export interface TrainingDraft {
  readonly loss: string | undefined;
  /** Its name. */
  readonly optimizer: string;
  readonly values: LayerValues;
  readonly scheme: Scheme;
  readonly ticks: Readonly<Record<"variables" | "batch", Ticks>>;
}

/** The user's task on the canvas, until the dialog is open again. */
export type TrainingStep =
  | {
      readonly kind: "pick";
      readonly what: "loss" | "variables" | "batch";
      /** Names of the tensors or variables that can be picked. */
      readonly candidates: readonly string[];
      readonly draft: TrainingDraft;
    }
  | {
      /** The graph is trainable, as its newest edit. */
      readonly kind: "preview";
      readonly nodes: GraphDocument["nodes"];
      /** How many of them were added. */
      readonly added: number;
      /** The scope that they are in. */
      readonly scope: string;
      readonly draft: TrainingDraft;
    };

export interface TrainingSetupStore {
  readonly step: TrainingStep | undefined;
}

export const useTrainingSetup = perDocument<TrainingSetupStore>(() => ({ step: undefined }));
