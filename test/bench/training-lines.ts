/** Measurements of training, and their limits. */
import type { Target } from "./report.js";
import type { ModelName, SchemeName } from "./training-graphs.js";

export interface TrainingLine {
  readonly model: ModelName;
  readonly scheme: SchemeName;
  readonly what: string;
  readonly target: Target;
  /** Whether traces have its transfers: those of collective operations are in none. */
  readonly hasTransfers: boolean;
}

/**
 * The limits of the portable engine's lines mlp-ps and cnn: what one worker reaches there, several should reach together,
 * since they share the processor on both sides.
 */
const TARGETS: Readonly<Record<ModelName, Target>> = {
  mlp: { better: "higher", goal: 1, limit: 0.7 },
  cnn: { better: "higher", goal: 1, limit: 0.6 },
};

const MODELS: Readonly<Record<ModelName, string>> = { mlp: "MLP", cnn: "CNN" };

const SCHEMES: Readonly<Record<SchemeName, string>> = {
  "in-graph": "in-graph",
  async: "asynchronous",
  sync: "synchronous",
  ring: "collective",
};

/** How many workers train together. */
export const workerCounts = [1, 2, 4] as const;

function lineOf(model: ModelName, scheme: SchemeName): TrainingLine {
  return {
    ...{ model, scheme, target: TARGETS[model], hasTransfers: scheme !== "ring" },
    what: `${MODELS[model]}, ${SCHEMES[scheme]}`,
  };
}

/** By the names under which they can be measured alone. */
export const trainingLines: Readonly<Record<string, TrainingLine>> = Object.fromEntries(
  (["mlp", "cnn"] as const).flatMap((model) =>
    (["in-graph", "async", "sync", "ring"] as const).map((scheme) => [
      `${model}-${scheme}`,
      lineOf(model, scheme),
    ]),
  ),
);

/** After a task that was killed has been started again, which takes our worker a tenth of the time. */
export const recoveryTarget: Target = { better: "lower", goal: 0.3, limit: 1 };
