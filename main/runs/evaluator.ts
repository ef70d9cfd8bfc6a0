/** Evaluates a model between two steps of its training, on feeds of its own. */
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { EvaluationPlan } from "../api/evaluation.js";
import type { RunRequest } from "../api/runs.js";
import { scalarOf } from "../shared/scalar-series.js";
import type { StepFeeds } from "./feed-batches.js";
import type { ReadFeeds } from "./feeds.js";
import { checkGraph } from "./graph-check.js";
import type { NamedTensor } from "./tensors/tensor-store.js";
import { type VariableGraph, variableGraph } from "./variables/variable-graph.js";
import { type VariableCluster, VariableSession } from "./variables/variable-session.js";

/**
 * The model is run in a session of its own, which sees the variables of all sessions that train it. The next step waits
 * until an evaluation is over.
 */
export class Evaluator {
  readonly #request: RunRequest;
  readonly #plan: EvaluationPlan;
  readonly #cluster: VariableCluster;
  #session: VariableSession | undefined;
  #prepared:
    | { readonly graph: VariableGraph; readonly feeds: StepFeeds; readonly fetches: readonly string[] }
    | undefined;

  constructor(request: RunRequest, plan: EvaluationPlan, cluster: VariableCluster) {
    this.#request = request;
    this.#plan = plan;
    this.#cluster = cluster;
  }

  /** Reads the feeds. @throws ProblemError naming a tensor that the graph does not have, or a feed that does not fit */
  async prepare(readFeeds: ReadFeeds, signal: AbortSignal): Promise<void> {
    const { fetches, feeds, batches } = this.#plan;
    const checked = checkGraph({ ...this.#request, fetches, feeds, targets: [], reused: undefined });
    // Every row once, in the order of the file.
    const once = batches && { size: batches.size, dropLast: false, epochs: 1 };
    this.#prepared = {
      graph: variableGraph(this.#request.graph),
      feeds: await readFeeds({ feeds, ...(once ? { batches: once } : {}) }, checked, signal),
      fetches: checked.fetches,
    };
  }

  isDue(step: number): boolean {
    return step % this.#plan.every === 0;
  }

  /** The means of the scalars over all batches. @throws errors of the session, in words */
  async run(signal: AbortSignal): Promise<NamedTensor[]> {
    if (!this.#prepared) return [];
    const { graph, feeds, fetches } = this.#prepared;
    const sums = new Map<string, number>();
    let examples = 0;
    this.#session ??= new VariableSession(this.#cluster);
    await this.#session.use(graph, signal, async (session, both) => {
      for (let batch = 1; batch <= (feeds.steps ?? 1); batch++) {
        const { values } = await session.run(fetches, { feeds: feeds.at(batch), signal: both });
        const weight = feeds.examples?.(batch) ?? 1;
        examples += weight;
        for (const [at, name] of fetches.entries()) {
          const tensor = values[at];
          const value = tensor && scalarOf(tensor);
          if (value !== undefined) sums.set(name, (sums.get(name) ?? 0) + value * weight);
        }
      }
    });
    return [...sums].map(([name, sum]) => ({ name, tensor: Tensor.of(sum / examples, "float64") }));
  }

  /** Closes its session; a run that goes on opens it again. */
  async dispose(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.dispose();
  }
}
