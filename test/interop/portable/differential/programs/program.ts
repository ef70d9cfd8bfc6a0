import type { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { VersionDef } from "../../../../../protos/generated/tensorflow/versions.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import { Operation, type Output } from "../../../../../worker-runtime/graph/operation.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Case, CaseStep } from "../case.js";
import { exact, type Tolerance } from "../op-case.js";

/** One run of a session: outputs are fetched, operations only run. */
export interface Step {
  readonly run: readonly (Output | Operation)[];
  readonly feeds?: Readonly<Record<string, Tensor>>;
}

/** A graph with state and the steps that show what it does. */
export interface Program {
  readonly name: string;
  readonly tolerance?: Tolerance;
  /** Functions that its nodes call. */
  readonly library?: FunctionDefLibrary;
  /** The GraphDef version of its client, where that is an old one: TensorFlow refuses ops that were removed before. */
  readonly producer?: number;
  /** Why TensorFlow has no kernel for one of its steps: both engines refuse that. */
  readonly noKernel?: string;
  /**
   * Adds nodes and says what to run, in order. A program's nodes are named after it, and so is what they keep.
   * @param folder where it may keep files
   */
  build(graph: Graph, folder: string): readonly Step[];
}

/** The case of a program. @param folder as the program may use it */
export function caseOfProgram(program: Program, folder: string): Case {
  const { name, tolerance = exact, library, producer, noKernel, build } = program;
  const graph = new Graph();
  const steps = graph.withNameScope(name, () => build(graph, folder));
  const made = graph.toGraphDef();
  const versions = producer === undefined ? made.versions : VersionDef.fromPartial({ producer });
  const graphDef: GraphDef = { ...made, library, versions };
  return {
    name,
    text: name,
    graph: graphDef,
    steps: steps.map(caseStep),
    tolerance,
    sharesGraph: false,
    optimized: false,
    ...(noKernel === undefined ? {} : { noKernel }),
  };
}

function caseStep({ run, feeds = {} }: Step): CaseStep {
  return {
    fetches: run.flatMap((one) => (one instanceof Operation ? [] : [one.name])),
    targets: run.flatMap((one) => (one instanceof Operation ? [one.name] : [])),
    feeds,
  };
}
