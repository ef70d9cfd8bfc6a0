/** The wizard's tests: which machine reaches which port, and whether anything listens there at all. */

import { withSharedSignal } from "../../../../worker-runtime/cancellation/shared-signal.js";
import { formatHostPort } from "../../../../worker-runtime/cluster/address.js";
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import type { LayerResult } from "../../../api/reachability.js";
import { messageOf } from "../../../shared/problems.js";
import { layerOf } from "../../reachability/layers/result.js";
import type { WizardMachine, WizardMachines } from "./wizard-machine.js";

/** One dial of one port; `layers` is undefined if it could not be tried, for the reason in `why`. */
export interface Dial {
  readonly from: string;
  readonly layers?: readonly LayerResult[];
  readonly why?: string;
}

export interface PortTest {
  readonly port: number;
  readonly address: string;
  readonly kind: "task" | "agent";
  /** "worker/0", "the agent" */
  readonly listener: string;
  /** From the machine that cannot get through; absent without one. */
  readonly dial?: Dial;
  /** Undefined if the machine could not be asked. */
  readonly listening?: boolean;
  /** From further machines, only when the dial failed. */
  readonly others: readonly Dial[];
}

const TRIES = 3;
/** Further ones would show nothing new, and each may take seconds. */
const MAX_OTHERS = 3;

/** Tests each port once from everywhere that matters. Rejects only with the signal's reason. */
export async function testPorts(
  machines: WizardMachines,
  machine: WizardMachine,
  peer: WizardMachine | undefined,
  ports: readonly number[],
  signal: AbortSignal,
): Promise<PortTest[]> {
  return await withSharedSignal(signal, (shared) =>
    Promise.all(ports.map((port) => testPort(machines, machine, peer, port, shared))),
  );
}

async function testPort(
  machines: WizardMachines,
  machine: WizardMachine,
  peer: WizardMachine | undefined,
  port: number,
  signal: AbortSignal,
): Promise<PortTest> {
  const isAgent = port === machine.agentPort;
  const kind = isAgent ? "agent" : "task";
  const task = machine.tasks.find((one) => one.port === port);
  const address = formatHostPort({ host: hostOf(machine), port });
  const dialFrom = (from: WizardMachine) => dial(machines, from, address, kind, TRIES, signal);
  const [own, dialled] = await Promise.all([
    dial(machines, machine, formatHostPort({ host: "127.0.0.1", port }), kind, 1, signal),
    peer && dialFrom(peer),
  ]);
  const others =
    dialled?.layers && !connects(dialled)
      ? await Promise.all(
          machines
            .all()
            .filter(({ id }) => id !== machine.id && id !== peer?.id)
            .slice(0, MAX_OTHERS)
            .map(dialFrom),
        )
      : [];
  return {
    port,
    address,
    kind,
    listener: isAgent ? "the agent" : (task?.name ?? "a program"),
    ...(dialled && { dial: dialled }),
    ...(own.layers && { listening: connects(own) }),
    others,
  };
}

async function dial(
  machines: WizardMachines,
  from: WizardMachine,
  address: string,
  kind: "task" | "agent",
  tries: number,
  signal: AbortSignal,
): Promise<Dial> {
  const probe = machines.proberOf(from.id);
  if (!probe) return { from: from.name, why: `${from.name} cannot be asked now` };
  try {
    return { from: from.name, layers: await probe({ address, kind, tries, signal }) };
  } catch (error) {
    signal.throwIfAborted();
    return { from: from.name, why: messageOf(error) };
  }
}

/** Whether a connection opened: the firewall does not care what is sent over it. */
export function connects({ layers }: Dial): boolean {
  return layerOf(layers, "tcp")?.outcome === "ok";
}

/** A number rather than a name, since resolving a name could fail for other reasons. */
function hostOf({ addresses, name }: WizardMachine): string {
  return addresses.find((address) => canonicalAddress(address) !== undefined) ?? addresses[0] ?? name;
}
