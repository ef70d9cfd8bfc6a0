/** Runs cases on a server: as many as possible in one step, and each failing one on its own. */
import {
  StatusCode,
  type StatusCodeName,
  TensorFlowError,
} from "../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { unoptimizedConfig } from "../../../../worker-runtime/session/trace/unoptimized-config.js";
import type { Case, CaseStep } from "./case.js";

/** The outcome of a step on a server. */
export type Outcome =
  | { readonly kind: "values"; readonly values: readonly Tensor[] }
  | { readonly kind: "error"; readonly code: StatusCodeName; readonly message: string }
  /** Its process ended. */
  | { readonly kind: "died"; readonly lastLines: string };

/** A master's time per node grows with graphs of many thousands of nodes. */
const CASES_PER_GRAPH = 1_000;

/** A step that waits longer than this would never end. */
const STEP_TIMEOUT_MILLIS = 20_000;

/** Cases with a graph of their own that run at a time. */
const SESSIONS_AT_A_TIME = 4;

/** The outcomes of each case's steps, in the order of the cases. @throws TensorFlowError UNAVAILABLE where the server died. */
export async function evaluateCases(target: string, cases: readonly Case[]): Promise<Outcome[][]> {
  const outcomes = new Map<Case, Outcome[]>();
  const shared = cases.filter((one) => one.sharesGraph);
  for (const optimized of [false, true]) {
    const alike = shared.filter((one) => one.optimized === optimized);
    for (let first = 0; first < alike.length; first += CASES_PER_GRAPH) {
      const parts = alike.slice(first, first + CASES_PER_GRAPH);
      const results = await evaluateTogether(target, parts);
      for (const [i, part] of parts.entries()) {
        outcomes.set(part, results.slice(i, i + 1));
      }
    }
  }
  const alone = cases.filter((one) => !one.sharesGraph).values();
  await Promise.all(
    Array.from({ length: SESSIONS_AT_A_TIME }, async () => {
      for (const one of alone) {
        outcomes.set(one, await evaluateAlone(target, one));
      }
    }),
  );
  return cases.map((one) => outcomes.get(one) ?? []);
}

async function evaluateAlone(target: string, { graph, steps, optimized }: Case): Promise<Outcome[]> {
  const session = new Session(target, { graph, config: optimized ? {} : unoptimizedConfig() });
  try {
    const outcomes: Outcome[] = [];
    for (const step of steps) {
      outcomes.push(await evaluateStep(session, step));
    }
    return outcomes;
  } finally {
    await session.close();
  }
}

async function evaluateStep(session: Session, { fetches, targets, feeds }: CaseStep): Promise<Outcome> {
  try {
    const options = { timeoutMillis: STEP_TIMEOUT_MILLIS };
    const { values } = await session.run(fetches, { feeds, targets, options });
    return { kind: "values", values };
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * The outcome of cases that are nodes of one graph and fetched by one step. A step fails as a whole, so a failing one is
 * bisected until the faulty cases are isolated; so is a graph that is refused as a whole.
 */
async function evaluateTogether(target: string, parts: readonly Case[]): Promise<Outcome[]> {
  const first = parts[0];
  if (first === undefined) {
    return [];
  }
  const graph = { ...first.graph, node: parts.flatMap((part) => part.graph.node) };
  // Fed nodes are run unoptimized; constants are used to test the optimizer.
  const session = new Session(target, { graph, config: first.optimized ? {} : unoptimizedConfig() });
  try {
    await session.open();
    return await stepTogether(session, parts);
  } catch (error) {
    return await halves(parts, error, (some) => evaluateTogether(target, some));
  } finally {
    await session.close();
  }
}

async function stepTogether(session: Session, parts: readonly Case[]): Promise<Outcome[]> {
  const steps = parts.flatMap((part) => part.steps);
  const fetches = steps.flatMap((step) => step.fetches);
  const targets = steps.flatMap((step) => step.targets);
  const feeds = Object.assign({}, ...steps.map((step) => step.feeds)) as Record<string, Tensor>;
  try {
    const { values } = await session.run(fetches, { feeds, targets });
    let next = 0;
    return steps.map((step) => {
      const first = next;
      next += step.fetches.length;
      return { kind: "values", values: values.slice(first, next) };
    });
  } catch (error) {
    return await halves(parts, error, (some) => stepTogether(session, some));
  }
}

/** Evaluates each half; for a single case the error is the outcome. */
async function halves(
  parts: readonly Case[],
  error: unknown,
  evaluate: (some: readonly Case[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcome = outcomeOfError(error);
  if (parts.length <= 1) {
    return parts.map(() => outcome);
  }
  const middle = Math.ceil(parts.length / 2);
  return [...(await evaluate(parts.slice(0, middle))), ...(await evaluate(parts.slice(middle)))];
}

/** @throws the error itself if the server no longer responds. */
function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof TensorFlowError) || error.code === StatusCode.UNAVAILABLE) {
    throw error;
  }
  return { kind: "error", code: error.codeName, message: error.message };
}
