/** Finds facts that make a secure cluster less closed than it claims. Pure. */
import type { Access } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { type ClusterTask, taskNames } from "./cluster-task.js";

/**
 * @param machines This machine first. While it is alone, a cluster makes no promises about the network, so nothing is
 *   reported.
 */
export function exposuresOf(
  access: Access,
  machines: readonly ClusterMachine[],
  tasks: readonly ClusterTask[],
): Problem[] {
  const withTasks = machines.filter((machine) => machine.tasks !== undefined);
  if (access === "open" || withTasks.length < 2) return [];
  const foreign = tasks.filter((task) => task.foreign);
  return [
    ...withTasks.flatMap((machine) => rawPorts(machine)),
    ...foreign.map(({ name, address }) => ({
      code: "FAILED_PRECONDITION",
      message: `${name} at ${address} can be used by anyone who reaches that port.`,
      reason:
        "It is a TensorFlow server that was started elsewhere: no tunnel leads there, and it does not authenticate clients.",
      remedy:
        "Start a task of Tensordeck on that machine instead, or make sure that only this cluster reaches the port.",
      task: name,
    })),
  ];
}

function rawPorts({ facts, tasks }: ClusterMachine): Problem[] {
  const open = (tasks?.tasks() ?? []).filter(({ state, isolated }) => state === "running" && !isolated);
  if (open.length === 0) return [];
  const ports = open.map(({ port }) => port).sort((a, b) => a - b);
  const one = ports.length === 1;
  return [
    {
      code: "FAILED_PRECONDITION",
      message: `The network reaches ${taskNames(open)} on ${facts.name} without signing in.`,
      reason: `TensorFlow's server listens on every address of its machine. ${one ? "It was" : "They were"} started while that machine was alone, or ${facts.name} does not let Tensordeck close ${one ? "its port" : "their ports"}.`,
      remedy: `Remove ${one ? "it" : "them"} and add ${one ? "it" : "them"} again. If that does not help, close port${one ? "" : "s"} ${ports.join(", ")} of ${facts.name} with a firewall; the tunnels of the cluster do not need ${one ? "it" : "them"}.`,
    },
  ];
}
