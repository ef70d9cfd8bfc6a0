/** Machines for tests: each with an identity, a trust store and an agent's port of its own on the loopback interface. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FirewallApply } from "../../../../main/api/firewall.js";
import type { Role } from "../../../../main/api/machines.js";
import type { MachineSample } from "../../../../main/api/samples.js";
import type { MachineDescription } from "../../../../main/machine/description.js";
import type { FirewallChange } from "../../../../main/network/firewall/tool.js";
import { AgentConnection } from "../../../../main/peers/agent/agent-connection.js";
import { AgentService } from "../../../../main/peers/agent/agent-service.js";
import type { SharedWindow } from "../../../../main/peers/agent/shared-window.js";
import { ThroughputMeter } from "../../../../main/peers/agent/throughput-meter.js";
import type { TunnelRequest } from "../../../../main/peers/agent/tunnel-request.js";
import { acceptWindow, admitsToWindow } from "../../../../main/peers/agent/window-protocol.js";
import { type Identity, loadIdentity } from "../../../../main/peers/identity/identity.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import { AgentPort } from "../../../../main/peers/port/agent-port.js";
import { TrustStore } from "../../../../main/peers/trust/trust-store.js";
import { MessageReader, requestSchema } from "../../../../main/scripts/remote/script-protocol.js";
import { freePort } from "../../../support/processes.js";
import { MemoryTasks } from "./memory-tasks.js";

const noWindow: SharedWindow = {
  issueToken: () => "the-token",
  serve: (socket) => socket.destroy(),
};

/** A machine whose description the test sets. */
export class TestMachine {
  readonly #changeListeners = new Set<() => void>();
  readonly sampleListeners = new Set<(sample: MachineSample) => void>();
  #description: MachineDescription;

  constructor(name: string) {
    this.#description = {
      name,
      platform: "linux",
      osName: "Debian GNU/Linux 12 (bookworm)",
      arch: "x64",
      cores: 8,
      memoryBytes: 16 * 2 ** 30,
      gpus: [
        {
          index: 0,
          name: "NVIDIA H200",
          memoryBytes: 143_771 * 2 ** 20,
        },
        { index: 1, name: "NVIDIA T4", memoryBytes: 15_360 * 2 ** 20 },
      ],
      addresses: ["192.168.1.20", "fd00::20"],
      agentPort: 2220,
      version: "0.1.0",
      engines: [{ engine: "tensorflow", version: "2.21.0", gpu: true }],
    };
  }

  description(): MachineDescription {
    return this.#description;
  }

  rename(name: string): void {
    this.#description = { ...this.#description, name };
    for (const listener of [...this.#changeListeners]) listener();
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onSample(listener: (sample: MachineSample) => void): () => void {
    this.sampleListeners.add(listener);
    return () => this.sampleListeners.delete(listener);
  }

  measure(sample: MachineSample): void {
    for (const listener of [...this.sampleListeners]) listener(sample);
  }
}

export class TestAgent {
  readonly machine: TestMachine;
  readonly tasks = new MemoryTasks();
  /** The requests to the collaborators. */
  readonly asked: unknown[] = [];
  readonly connections: AgentConnection[] = [];
  /** Whether its user lets the network reach tasks of other machines. */
  mayExpose = false;
  #port: AgentPort | undefined;
  #service: AgentService | undefined;

  private constructor(
    readonly name: string,
    readonly dataDir: string,
    readonly identity: Identity,
    readonly trust: TrustStore,
    readonly window: SharedWindow,
  ) {
    this.machine = new TestMachine(name);
  }

  /** @param window what of a window it shows to others. */
  static async start(name: string, window: SharedWindow = noWindow): Promise<TestAgent> {
    const dataDir = await mkdtemp(join(tmpdir(), "tensordeck-agent-"));
    const agent = new TestAgent(
      name,
      dataDir,
      await loadIdentity(dataDir),
      await TrustStore.load(dataDir),
      window,
    );
    // One that nobody takes while the agent has ended for a while.
    await agent.listen(await freePort());
    return agent;
  }

  get port(): number {
    return this.#port?.port ?? 0;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async listen(port: number): Promise<void> {
    const { identity, trust, machine, tasks, asked } = this;
    const agentPort = await AgentPort.listen({ identity, trust, port, host: "127.0.0.1" });
    const service = new AgentService({
      deviceId: identity.deviceId,
      trust,
      machine,
      tasks,
      mayExpose: () => this.mayExpose,
      prober: async ({ signal: _, ...request }) => {
        asked.push(request);
        return [{ layer: "tcp", outcome: "ok", millis: 0.5, detail: request.address }];
      },
      tunnels: {
        setTunnels: async (owner: string, request: TunnelRequest) => {
          asked.push({ owner, request });
          return [2222];
        },
      },
      firewall: {
        inspect: async (question) => {
          asked.push(question);
          return {
            tool: "ufw",
            name: "ufw 0.36.2",
            active: true,
            adapters: [],
            blockRules: [],
            ownRules: [],
          };
        },
        plan: async (change) => {
          asked.push(change);
          return {
            rules: [],
            removals: [],
            script: "ufw allow",
            undoScript: "ufw delete allow",
            elevation: "pkexec",
            command: "sudo ufw allow",
            notes: [],
          };
        },
        apply: (change) => states(change, asked, "applied"),
        undo: (change) => states(change, asked, "undone"),
      },
      throughput: new ThroughputMeter({ identity, trust }),
      scripts: {
        run: async (caller, messages, _, signal) => {
          const reader = new MessageReader(messages, requestSchema, signal);
          for (let asking = await reader.next(); asking; asking = await reader.next()) {
            asked.push({ caller, asking });
          }
        },
      },
      window: this.window,
    });
    agentPort.handle(Alpn.grpc, (peer) => service.accept(peer));
    agentPort.handle(Alpn.window, ({ socket }) => void acceptWindow(socket, this.window), admitsToWindow);
    this.#port = agentPort;
    this.#service = service;
  }

  /** Ends the agent as if the program had ended; `listen` starts it anew. */
  async end(): Promise<void> {
    this.#service?.close();
    await this.#port?.close();
    this.#port = undefined;
  }

  /** A connection to another machine, at its port or wherever the test says. */
  connect(to: TestAgent, addresses: () => readonly string[] = () => [to.address]): AgentConnection {
    const { deviceId, certPem } = to.identity;
    const { identity } = this;
    const connection = new AgentConnection({ identity, deviceId, certPem, name: to.name, addresses });
    this.connections.push(connection);
    connection.open();
    return connection;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.end();
    await this.trust.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

async function* states(
  change: FirewallChange,
  asked: unknown[],
  last: FirewallApply["state"],
): AsyncGenerator<FirewallApply> {
  asked.push(change);
  yield { state: "waiting", since: 1 };
  yield { state: last, since: 2 };
}

/** Lets `guest` do on `host` what the role says; `host` may only look at `guest`. */
export async function pair(host: TestAgent, guest: TestAgent, role: Role): Promise<void> {
  await host.trust.put(trusted(guest, role, "view"));
  await guest.trust.put(trusted(host, "view", role));
}

function trusted(machine: TestAgent, grantedRole: Role, role: Role) {
  const { deviceId, certPem } = machine.identity;
  const at = { addresses: ["127.0.0.1"], agentPort: machine.port, pairedAt: 0 };
  return { deviceId, certPem, name: machine.name, grantedRole, role, ...at };
}
