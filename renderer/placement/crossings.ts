/** The tensors that are sent between tasks in one step if nodes are on given tasks. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { wiringOf } from "../document/wiring.js";

export interface SentBytes {
  readonly bytes: number;
  readonly tensors: number;
}

/**
 * Each tensor is sent once to every other task that reads it.
 *
 * @param inStep the nodes that the step runs
 * @param sizeOf bytes of an output
 */
export function sentBytes(
  nodes: ReadonlyMap<string, NodeDef>,
  inStep: ReadonlySet<string>,
  taskOf: (node: NodeDef) => string,
  sizeOf: (node: NodeDef, output: number) => number,
): SentBytes {
  const { outgoing } = wiringOf(nodes);
  let [bytes, tensors] = [0, 0];
  for (const name of inStep) {
    const node = nodes.get(name);
    const edges = outgoing.get(name);
    if (!node || !edges) continue;
    const from = taskOf(node);
    const sent = new Set<string>();
    for (const { to, output } of edges) {
      const reader = output >= 0 && inStep.has(to) ? nodes.get(to) : undefined;
      if (!reader) continue;
      const task = taskOf(reader);
      const key = `${output} ${task}`;
      if (task === from || sent.has(key)) continue;
      sent.add(key);
      bytes += sizeOf(node, output);
      tensors++;
    }
  }
  return { bytes, tensors };
}
