/** Which machine each task of a given ClusterSpec is on, and which machines are paired. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import type { ClusterSpec, ClusterTask } from "../../../worker-runtime/cluster/cluster-spec.js";
import { checkOwnHost } from "../../../worker-runtime/engines/address-check.js";
import type { Machine, Task } from "../../api/cluster.js";
import { type MachineDescription, unknownMachine } from "../../machine/description.js";
import { TRUST_FILE } from "../../peers/trust/trust-store.js";
import { type TrustedMachine, trustFileSchema } from "../../peers/trust/trusted-machine.js";
import { errnoOf, fileProblem } from "../../shared/problems.js";

export const THIS_MACHINE = "this-machine";

/**
 * The machines that are paired with this one. The file is only read: repairing and watching it is up to the
 * application.
 *
 * @throws ProblemError when it exists and cannot be read.
 */
export async function readPaired(dataDir: string): Promise<readonly TrustedMachine[]> {
  const path = join(dataDir, TRUST_FILE);
  try {
    return trustFileSchema.parse(JSON.parse(await readFile(path, "utf8"))).machines;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw fileProblem(`The paired machines could not be read from ${path}`, error);
  }
}

/** This machine, the paired ones and a host for each other name in the cluster, with the cluster's tasks. */
export async function placeTasks(
  description: MachineDescription,
  paired: readonly TrustedMachine[],
  cluster: ClusterSpec,
): Promise<Machine[]> {
  const machines = new Map<string, Machine>();
  const self: Machine = {
    ...description,
    id: THIS_MACHINE,
    kind: "this",
    presence: "online",
    tasks: [],
  };
  machines.set(THIS_MACHINE, self);
  for (const { deviceId, name, addresses, agentPort, role, grantedRole } of paired) {
    machines.set(deviceId, {
      ...namedMachine(deviceId, name, addresses),
      kind: "paired",
      agentPort,
      role,
      grantedRole,
    });
  }
  for (const task of cluster.tasks()) {
    const host = parseHostPort(task.address)?.host ?? task.address;
    const known = (await isOwn(host))
      ? self
      : [...machines.values()].find(({ name, addresses }) => name === host || addresses.includes(host));
    const machine = known ?? namedMachine(`foreign:${host}`, host, [host]);
    machines.set(machine.id, machine);
    machine.tasks.push(newTask(task));
  }
  return [...machines.values()];
}

/** A machine of which only the name and addresses are known. */
function namedMachine(id: string, name: string, addresses: readonly string[]): Machine {
  return {
    id,
    name,
    kind: "foreign",
    presence: "online",
    ...unknownMachine(),
    addresses: [...addresses],
    tasks: [],
  };
}

function newTask({ job, index, address }: ClusterTask): Task {
  return {
    id: `${job}/${index}`,
    job,
    index,
    address,
    engine: "tensorflow",
    gpu: "auto",
    foreign: true,
    state: "starting",
    colour: 0,
    devices: [],
  };
}

async function isOwn(host: string): Promise<boolean> {
  // A name that does not resolve belongs to no machine; the test of the route reports that.
  return (await checkOwnHost(host).catch(() => undefined))?.kind === "own";
}
