/** Finding nodes that depend on themselves: TensorFlow only says how many there are. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseEdge } from "../../worker-runtime/graph/edge.js";

/** The one way back that a graph may have: into the next turn of a loop. */
const turnsOfLoops = new Set(["NextIteration", "RefNextIteration"]);

/** The names of nodes of which each is an input of the next and the last one of the first; undefined where none are. */
export function findCycle(nodes: ReadonlyMap<string, NodeDef>): string[] | undefined {
  const consumers = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const node of nodes.values()) {
    const inputs = inputsOf(node);
    missing.set(node.name, inputs.length);
    for (const input of inputs) {
      const known = consumers.get(input);
      if (known) known.push(node.name);
      else consumers.set(input, [node.name]);
    }
  }
  // Takes away whatever has all its inputs, as a run would.
  const done = [...missing].flatMap(([name, count]) => (count === 0 ? [name] : []));
  for (let name = done.pop(); name !== undefined; name = done.pop()) {
    missing.delete(name);
    for (const consumer of consumers.get(name) ?? []) {
      const left = (missing.get(consumer) ?? 0) - 1;
      missing.set(consumer, left);
      if (left === 0) done.push(consumer);
    }
  }
  // Each node that is left has an input that is left, so going back from any of them comes round.
  const path: string[] = [];
  const places = new Map<string, number>();
  let name = missing.keys().next().value;
  while (name !== undefined) {
    const place = places.get(name);
    if (place !== undefined) return path.slice(place).reverse();
    places.set(name, path.length);
    path.push(name);
    const node = nodes.get(name);
    name = node && inputsOf(node).find((input) => missing.has(input));
  }
  return undefined;
}

function inputsOf(node: NodeDef): string[] {
  return turnsOfLoops.has(node.op) ? [] : node.input.map((input) => parseEdge(input).node);
}
