/** On which tasks the variables of a graph are. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { isVariable } from "../../../worker-runtime/graph/initialisers.js";
import { pinsOf } from "../graph-check.js";
import type { Participant } from "../participants.js";

interface ReadyTasks {
  readonly members: readonly Participant[];
  readonly master: Participant;
}

/**
 * The ids of the tasks that hold the variables of a graph in a session of these tasks. One whose node leaves the choice
 * to the placer is on the session's master.
 */
export function variableHolders(
  nodes: ReadonlyMap<string, NodeDef>,
  { members, master }: ReadyTasks,
): string[] {
  const variables = new Map([...nodes].filter(([, node]) => isVariable(node)));
  const pins = new Map(pinsOf(variables).map((pin) => [pin.node, pin]));
  const holders = [...variables.keys()].map((name) => {
    const { job, task } = pins.get(name) ?? {};
    if (job === undefined) return master;
    return members.find((one) => one.job === job && (task === undefined || one.index === task)) ?? master;
  });
  return [...new Set(holders.map(({ id }) => id))];
}
