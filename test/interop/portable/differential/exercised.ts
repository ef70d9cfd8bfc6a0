/** Which nodes the steps of cases run. */
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { parseEdge } from "../../../../worker-runtime/graph/edge.js";
import type { Case, CaseStep } from "./case.js";
import { pairsOfNode } from "./registered-pairs.js";

/** The pairs of all nodes that a step of a case runs: those that its fetches and targets need, and their functions'. */
export function exercisedPairs({ graph }: Case, step: CaseStep): Set<string> {
  const nodes = new Map(graph.node.map((node) => [node.name, node]));
  const functions = new Map(graph.library?.function.map((one) => [one.signature?.name ?? "", one.nodeDef]));
  const pairs = new Set<string>();
  const run = new Set<string>();
  const fed = new Set(Object.keys(step.feeds));

  const visitNode = (node: NodeDef): void => {
    for (const pair of pairsOfNode(node)) pairs.add(pair);
    visitFunction(node.op);
    for (const { value } of node.attr.values()) {
      if (value?.$case === "func") visitFunction(value.value.name);
      if (value?.$case === "list") for (const { name } of value.value.func) visitFunction(name);
    }
  };
  const visitFunction = (name: string): void => {
    const body = functions.get(name);
    functions.delete(name);
    for (const node of body ?? []) visitNode(node);
  };

  const waiting = [...step.fetches, ...step.targets];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const edge = parseEdge(name);
    const node = nodes.get(edge.node);
    if (node === undefined || run.has(edge.node) || (!edge.control && fed.has(`${edge.node}:${edge.output}`)))
      continue;
    run.add(edge.node);
    visitNode(node);
    waiting.push(...node.input);
  }
  return pairs;
}
