/** Which variables a loss can train, and why others cannot be. */
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { TensorFlowError } from "../../../protocol/status.js";
import { gradients } from "../../gradients/gradients.js";
import { isFloating } from "../../gradients/math.js";
import { Graph } from "../../graph.js";
import type { Variable } from "../../variable.js";
import { operationsFor } from "./copy-nodes.js";
import { variablesOfGraph } from "./graph-variables.js";

/** Why a variable cannot be trained; "blocked" says by which node in `reason`. */
export type GradientState =
  | { readonly kind: "ok" }
  | { readonly kind: "counter" | "not-float" | "unused" | "no-path" | "no-first-value" }
  | { readonly kind: "blocked"; readonly reason: string };

/** The gradient state of each variable, in the order of the nodes. @throws TensorFlowError if the graph cannot be read */
export function gradientStates(graphDef: GraphDef, loss: string): ReadonlyMap<string, GradientState> {
  const graph = Graph.fromGraphDef(graphDef);
  const { variables, withoutFirstValue } = variablesOfGraph(graph);
  const states = new Map<string, GradientState>();
  const needed = operationsFor([graph.tensor(loss).op]);
  const candidates: Variable[] = [];
  for (const one of variables) {
    if (one.name === "global_step") states.set(one.name, { kind: "counter" });
    else if (!isFloating(one.dtype)) states.set(one.name, { kind: "not-float" });
    else if (!needed.has(one.handle.op)) states.set(one.name, { kind: "unused" });
    else candidates.push(one);
  }
  for (const name of withoutFirstValue) states.set(name, { kind: "no-first-value" });
  for (const [one, state] of statesOf(graph, loss, candidates)) states.set(one.name, state);
  return states;
}

function statesOf(
  graph: Graph,
  loss: string,
  variables: readonly Variable[],
): readonly (readonly [Variable, GradientState])[] {
  try {
    const made = gradients(graph.tensor(loss), variables);
    return variables.map((one, at) => [one, made[at] ? { kind: "ok" } : { kind: "no-path" }]);
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    const [only] = variables;
    if (only && variables.length === 1) return [[only, { kind: "blocked", reason: error.message }]];
    return variables.flatMap((one) => statesOf(graph, loss, [one]));
  }
}
