import type { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { VersionDef } from "../../../../../protos/generated/tensorflow/versions.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import { Operation, type Output } from "../../../../../worker-runtime/graph/operation.js";
import { TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import type { FeedValue } from "../../../../../worker-runtime/session/references.js";
import { Session } from "../../../../../worker-runtime/session/session.js";
import { unoptimizedConfig } from "../../../../../worker-runtime/session/trace/unoptimized-config.js";
import type { Outcome } from "../evaluate.js";
import { exact, type Tolerance } from "../op-case.js";

/** One run of a session: outputs are fetched, operations only run. */
export interface Step {
  readonly run: readonly (Output | Operation)[];
  readonly feeds?: Readonly<Record<string, FeedValue>>;
}

/** A graph with state and the steps that show what it does. */
export interface Program {
  readonly name: string;
  readonly tolerance?: Tolerance;
  /** Functions that its nodes call. */
  readonly library?: FunctionDefLibrary;
  /** The GraphDef version of its client, where that is an old one: TensorFlow refuses ops that were removed before. */
  readonly producer?: number;
  /**
   * Adds nodes and says what to run, in order. A program's nodes are named after it, and so is what they keep.
   * @param folder where it may keep files
   */
  build(graph: Graph, folder: string): readonly Step[];
}

export interface BuiltProgram {
  readonly name: string;
  readonly graph: GraphDef;
  readonly steps: readonly Step[];
  readonly tolerance: Tolerance;
}

/** @param folder as the program may use it */
export function buildProgram(
  { name, tolerance = exact, library, producer, build }: Program,
  folder: string,
): BuiltProgram {
  const graph = new Graph();
  const steps = graph.withNameScope(name, () => build(graph, folder));
  const made = graph.toGraphDef();
  const versions = producer === undefined ? made.versions : VersionDef.fromPartial({ producer });
  return { name, graph: { ...made, library, versions }, steps, tolerance };
}

/** A step that waits for longer waits for what never comes. */
const STEP_TIMEOUT_MILLIS = 20_000;

/** The outcome of each step of a program, in order. */
export async function evaluateProgram(target: string, program: BuiltProgram): Promise<Outcome[]> {
  const session = new Session(target, { graph: program.graph, config: unoptimizedConfig() });
  try {
    const outcomes: Outcome[] = [];
    for (const step of program.steps) {
      outcomes.push(await evaluateStep(session, step));
    }
    return outcomes;
  } finally {
    await session.close();
  }
}

async function evaluateStep(session: Session, { run, feeds = {} }: Step): Promise<Outcome> {
  const fetches = run.filter((one) => !(one instanceof Operation)) as Output[];
  const targets = run.filter((one) => one instanceof Operation);
  try {
    const { values } = await session.run(fetches, {
      feeds,
      targets,
      options: { timeoutMillis: STEP_TIMEOUT_MILLIS },
    });
    return { kind: "values", values };
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    return { kind: "error", code: error.codeName, message: error.message };
  }
}
