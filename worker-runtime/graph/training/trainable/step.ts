/** The parts from which the schemes of training make their steps. */
import type { TaskName } from "../../../cluster/device-name.js";
import type { Graph } from "../../graph.js";
import type { Operation, Output } from "../../operation.js";
import type { Variable } from "../../variable.js";
import type { Optimizer } from "../optimizer.js";
import type { TrainingPlan } from "./plan.js";

/** A graph while it is made trainable. */
export interface Trained {
  readonly graph: Graph;
  readonly loss: Output;
  readonly variables: readonly Variable[];
  readonly globalStep: Variable;
  readonly batch: readonly Output[];
  readonly workers: readonly TaskName[];
  optimizer(): Optimizer;
}

/** The nodes that a scheme adds. */
export type Step = Pick<TrainingPlan, "asynchronous" | "synchronous"> & {
  readonly loss: Output;
  readonly train: Operation;
};
