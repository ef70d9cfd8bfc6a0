/** The paired machines that a user names. */
import { nearest } from "../../../worker-runtime/cli/args.js";
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { TrustStore } from "../../peers/trust/trust-store.js";
import type { TrustedMachine } from "../../peers/trust/trusted-machine.js";
import { problem } from "../../shared/problems.js";
import type { PlannedTask } from "../../submit/job-settings.js";

/** How a user names this machine. */
const OWN_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1"]);

/**
 * The machines with these names or device IDs, each once; undefined stands for this one.
 *
 * @throws ProblemError NOT_FOUND, or INVALID_ARGUMENT for a name that several machines have.
 */
export async function findMachines(
  names: readonly string[],
  dataDir: string,
): Promise<(TrustedMachine | undefined)[]> {
  if (names.every((name) => OWN_NAMES.has(name))) return [undefined];
  const store = await TrustStore.load(dataDir);
  try {
    const paired = store.all();
    return [...new Set(names.map((name) => (OWN_NAMES.has(name) ? undefined : machineNamed(name, paired))))];
  } finally {
    await store.close();
  }
}

/** Deals tasks out to machines in turn. @param machines At least one. */
export function dealOut(
  tasks: readonly TaskName[],
  machines: readonly (TrustedMachine | undefined)[],
): PlannedTask[] {
  return tasks.map(({ job, index }, position) => ({
    ...{ job, index },
    machine: machines[position % machines.length],
  }));
}

function machineNamed(name: string, paired: readonly TrustedMachine[]): TrustedMachine {
  const found = paired.filter((machine) => machine.deviceId === name || machine.name === name);
  const [machine, other] = found;
  if (machine && !other) return machine;
  if (other) {
    throw problem("INVALID_ARGUMENT", `${found.length} paired machines are called ${name}.`, {
      remedy: `Give the device ID of one: ${found.map(({ deviceId }) => deviceId).join(", ")}.`,
    });
  }
  const names = paired.map((known) => known.name);
  const near = nearest(name, names);
  throw problem("NOT_FOUND", `No paired machine is called ${name}.`, {
    reason:
      near !== undefined
        ? `Did you mean ${near}?`
        : names.length > 0
          ? `The paired machines are: ${names.join(", ")}.`
          : "This machine is not paired with any other.",
    remedy: "Pair the machines first, in the window or with tensordeck agent.",
  });
}
