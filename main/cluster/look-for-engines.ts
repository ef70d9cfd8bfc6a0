import type { AddTasks } from "../api/cluster.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";

/**
 * The machines, with what can compute on the one that gets the tasks as it says itself: where the user left the engine
 * open, that machine looks for it before one is chosen.
 *
 * @param machines This machine first: it is meant where none is named.
 * @throws ProblemError when the machine cannot be asked.
 */
export async function lookForEngines(
  { machineId, engine }: AddTasks,
  machines: readonly ClusterMachine[],
): Promise<readonly ClusterMachine[]> {
  const isMeant = ({ facts }: ClusterMachine, position: number) =>
    machineId === undefined ? position === 0 : facts.id === machineId;
  const meant = machines.find(isMeant);
  // What is to be said of a machine that does not answer is said by who looks at the request.
  if (engine !== undefined || !meant?.tasks?.engines || meant.facts.presence === "offline") return machines;
  const engines = await meant.tasks.engines();
  return machines.map((machine) =>
    machine === meant ? { ...machine, facts: { ...machine.facts, engines } } : machine,
  );
}
