/** Connections to the agents of paired machines, which describe them and dial from there. */
import { withDeadline } from "../../../worker-runtime/cancellation/deadline.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import type { MachineFacts } from "../../api/machines.js";
import type { MachineSample } from "../../api/samples.js";
import { agentAddresses } from "../../machine/agent-addresses.js";
import type { Prober } from "../../network/reachability/probe.js";
import { AgentConnection } from "../../peers/agent/agent-connection.js";
import { loadIdentity } from "../../peers/identity/identity.js";
import type { TrustedMachine } from "../../peers/trust/trusted-machine.js";

/**
 * A machine that is online answers in milliseconds; one that does not answer is nevertheless tested from
 * here.
 */
const CONNECT_MILLIS = 3000;

export class PairedAgents {
  readonly #connections: ReadonlyMap<string, AgentConnection>;
  readonly #samples = new Map<string, MachineSample>();

  private constructor(connections: ReadonlyMap<string, AgentConnection>) {
    this.#connections = connections;
    for (const [id, connection] of connections) {
      connection.onSample((sample) => this.#samples.set(id, sample));
    }
  }

  /** The latest measurements of the machines that have reported any. */
  get samples(): ReadonlyMap<string, MachineSample> {
    return this.#samples;
  }

  /** Resolves when every machine has answered or timed out. */
  static async connect(
    paired: readonly TrustedMachine[],
    dataDir: string,
    signal: AbortSignal,
  ): Promise<PairedAgents> {
    // Without paired machines no identity is needed, and examining a machine should not create one.
    if (paired.length === 0) return new PairedAgents(new Map());
    const identity = await loadIdentity(dataDir);
    const connections = paired.map((machine) => {
      const { deviceId, certPem, name } = machine;
      return new AgentConnection({
        identity,
        deviceId,
        certPem,
        name,
        addresses: () => agentAddresses(machine),
      });
    });
    await withDeadline(CONNECT_MILLIS, signal, (ends) =>
      Promise.all(connections.map((connection) => answered(connection, ends))),
    );
    const agents = new PairedAgents(
      new Map(connections.map((connection) => [connection.deviceId, connection])),
    );
    if (signal.aborted) await agents.close();
    signal.throwIfAborted();
    return agents;
  }

  /**
   * A machine's report about itself, with the address at which it answered before those that it lists; undefined if
   * it did not answer.
   */
  factsOf(machineId: string): Omit<MachineFacts, "kind"> | undefined {
    const connection = this.#connections.get(machineId);
    const facts = connection?.facts();
    if (facts?.presence !== "online") return undefined;
    const reached = parseHostPort(connection?.address ?? "");
    if (!reached) return facts;
    const { host, port } = reached;
    return { ...facts, addresses: [...new Set([host, ...facts.addresses])], agentPort: port };
  }

  /** Undefined if the machine did not answer, or this one may only view it. */
  proberOf(machineId: string): Prober | undefined {
    const facts = this.factsOf(machineId);
    return facts && facts.role !== "view" ? this.#connections.get(machineId)?.probe : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }
}

/** Resolves when the machine has described itself, or when the signal is aborted. */
function answered(connection: AgentConnection, ends: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const { presence, platform } = connection.facts();
      if (!ends.aborted && (presence !== "online" || platform === "")) return;
      stop();
      ends.removeEventListener("abort", look);
      resolve();
    };
    const stop = connection.onFacts(look);
    ends.addEventListener("abort", look, { once: true });
    connection.open();
    look();
  });
}
