import type { AddTasks } from "../api/cluster.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";

/**
 * The machines, with the engines of the one that gets the tasks freshly detected: if the user left the engine open,
 * that machine runs detection before one is chosen.
 *
 * @param machines This machine first: it is the default.
 * @throws ProblemError when the machine cannot be queried.
 */
export async function lookForEngines(
  { machineId, engine }: AddTasks,
  machines: readonly ClusterMachine[],
): Promise<readonly ClusterMachine[]> {
  const isMeant = ({ facts }: ClusterMachine, position: number) =>
    machineId === undefined ? position === 0 : facts.id === machineId;
  const meant = machines.find(isMeant);
  // A machine that does not answer is reported when the request is checked.
  if (engine !== undefined || !meant?.tasks?.engines || meant.facts.presence === "offline") return machines;
  const engines = await meant.tasks.engines();
  return machines.map((machine) =>
    machine === meant ? { ...machine, facts: { ...machine.facts, engines } } : machine,
  );
}
