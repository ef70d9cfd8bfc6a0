/** Runs cases on a server: as many as possible in one step, and those that fail each on its own. */
import {
  StatusCode,
  type StatusCodeName,
  TensorFlowError,
} from "../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { unoptimizedConfig } from "../../../../worker-runtime/session/trace/unoptimized-config.js";
import { graphOf } from "../../peers/nodes.js";
import { type CaseNodes, type InputStyle, nodesOfCase, type OpCase } from "./op-case.js";

/** What a server made of a case. */
export type Outcome =
  | { readonly kind: "values"; readonly values: readonly Tensor[] }
  | { readonly kind: "error"; readonly code: StatusCodeName; readonly message: string };

/** A master takes more than its share of time for each node of a graph of many thousands. */
const CASES_PER_GRAPH = 1_000;

/**
 * The outcome of each case, in order. Many are nodes of one graph and fetched by one step. A step fails as a whole, so a
 * failing one is halved until the cases that are at fault stand alone; so is a graph that is refused as a whole.
 */
export async function evaluateCases(
  target: string,
  cases: readonly OpCase[],
  style: InputStyle,
): Promise<Outcome[]> {
  const parts = cases.map((one, i) => nodesOfCase(one, `case${i}`, style));
  const outcomes: Outcome[] = [];
  for (let first = 0; first < parts.length; first += CASES_PER_GRAPH) {
    outcomes.push(...(await evaluateGraph(target, parts.slice(first, first + CASES_PER_GRAPH), style)));
  }
  return outcomes;
}

async function evaluateGraph(
  target: string,
  parts: readonly CaseNodes[],
  style: InputStyle,
): Promise<Outcome[]> {
  const session = new Session(target, {
    graph: graphOf(...parts.flatMap(({ nodes }) => nodes)),
    // Fed nodes are run as they are; constants are there for the optimizer's sake.
    config: style === "fed" ? unoptimizedConfig() : {},
  });
  try {
    await session.open();
    return await evaluateStep(session, parts);
  } catch (error) {
    return await halves(parts, error, (some) => evaluateGraph(target, some, style));
  } finally {
    await session.close();
  }
}

async function evaluateStep(session: Session, parts: readonly CaseNodes[]): Promise<Outcome[]> {
  const fetches = parts.flatMap((part) => part.fetches);
  const targets = parts.flatMap((part) => (part.fetches.length === 0 ? part.nodes.slice(-1) : []));
  const feeds = Object.assign({}, ...parts.map((part) => part.feeds)) as Record<string, Tensor>;
  try {
    const { values } = await session.run(fetches, { feeds, targets });
    let next = 0;
    return parts.map((part) => {
      const first = next;
      next += part.fetches.length;
      return { kind: "values", values: values.slice(first, next) };
    });
  } catch (error) {
    return await halves(parts, error, (some) => evaluateStep(session, some));
  }
}

/** Asks for each half; of a single case the error is the outcome. */
async function halves(
  parts: readonly CaseNodes[],
  error: unknown,
  evaluate: (some: readonly CaseNodes[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  if (!(error instanceof TensorFlowError) || isGone(error)) {
    throw error;
  }
  if (parts.length <= 1) {
    return parts.map(() => ({ kind: "error", code: error.codeName, message: error.message }));
  }
  const middle = Math.ceil(parts.length / 2);
  return [...(await evaluate(parts.slice(0, middle))), ...(await evaluate(parts.slice(middle)))];
}

/** A server that died answers nothing more: no outcome of a case, but the end of the test. */
function isGone(error: TensorFlowError): boolean {
  return error.code === StatusCode.UNAVAILABLE;
}
