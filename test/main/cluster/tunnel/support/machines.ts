/** Machines with everything that tunnels need, all of them on the loopback interface of this one. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "../../../../../main/api/machines.js";
import { TunnelService } from "../../../../../main/cluster/tunnel/tunnel-service.js";
import type { TunnelEnd } from "../../../../../main/peers/agent/tunnel-request.js";
import { type Identity, loadIdentity } from "../../../../../main/peers/identity/identity.js";
import { Alpn } from "../../../../../main/peers/port/agent-peer.js";
import { AgentPort } from "../../../../../main/peers/port/agent-port.js";
import { dialAgent } from "../../../../../main/peers/port/dial-agent.js";
import { TrustStore } from "../../../../../main/peers/trust/trust-store.js";
import { connectLoopback } from "../../../../../main/shared/sockets/loopback.js";
import { freePort } from "../../../../support/processes.js";

export interface TunnelMachine {
  readonly id: string;
  readonly identity: Identity;
  readonly trust: TrustStore;
  readonly agentPort: AgentPort;
  readonly tunnels: TunnelService;
  /** Whether a run of this machine goes on. */
  isRunning: boolean;
  /**
   * Makes a task of this machine. Its port in the cluster is another one than the one that it listens at, because all
   * machines of a test share their loopback addresses.
   *
   * @param owner Device ID of the machine that had it started; this one unless given.
   */
  addTask(onConnection: (socket: Socket) => void, owner?: string): Promise<TestTask>;
  close(): Promise<void>;
}

export interface TestTask {
  /** As the ClusterSpec has it. */
  readonly port: number;
  /** Where it really listens. */
  readonly listening: number;
  readonly server: Server;
  /** The facts about it that the other machines are told. */
  readonly tunnel: TunnelEnd;
  readonly connections: Set<Socket>;
  /** Device ID of the machine that had it started. */
  readonly owner: string;
  runs: boolean;
}

export async function startMachine(
  options: { readonly connectionsPerPeer?: number; readonly mayTakePort?: (port: number) => boolean } = {},
): Promise<TunnelMachine> {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-tunnel-"));
  const identity = await loadIdentity(folder);
  const trust = await TrustStore.load(folder);
  const agentPort = await AgentPort.listen({ identity, trust, port: 0, host: "127.0.0.1" });
  const tasks = new Map<number, TestTask>();
  const tunnels = new TunnelService({
    // Tests that run beside each other share the ports of tasks.
    mayTakePort: (port) => port >= 1024,
    ...options,
    ownId: identity.deviceId,
    trust,
    dial: (request) => dialAgent({ ...request, identity, alpn: Alpn.tunnel, timeoutMillis: 5000 }),
    taskAt: (port) => tasks.get(port),
    connectTask: (port) => connectLoopback(tasks.get(port)?.listening ?? 0),
    isOwnRun: () => machine.isRunning,
  });
  agentPort.handle(Alpn.tunnel, tunnels.serve, tunnels.admitsPeer);
  const machine: TunnelMachine = {
    id: identity.deviceId,
    isRunning: false,
    identity,
    trust,
    agentPort,
    tunnels,
    addTask: async (onConnection, owner = identity.deviceId) => {
      const connections = new Set<Socket>();
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        connections.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => connections.delete(socket));
        onConnection(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const listening = typeof address === "object" && address !== null ? address.port : 0;
      const port = await freePort();
      const agentAddresses = [`127.0.0.1:${agentPort.port}`];
      const task: TestTask = {
        port,
        listening,
        server,
        tunnel: { port, deviceId: identity.deviceId, agentAddresses },
        connections,
        owner,
        runs: true,
      };
      tasks.set(port, task);
      return task;
    },
    close: async () => {
      await tunnels.close();
      await agentPort.close();
      await trust.close();
      for (const { server, connections } of tasks.values()) {
        for (const socket of connections) socket.destroy();
        server.close();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
  return machine;
}

/** Makes two machines trust each other; each may do on the other what the role says. */
export async function pair(one: TunnelMachine, other: TunnelMachine, role: Role = "run"): Promise<void> {
  await trusts(one, other, role);
  await trusts(other, one, role);
}

/** Lets a machine do something on another one. */
export async function trusts(there: TunnelMachine, who: TunnelMachine, role: Role): Promise<void> {
  await there.trust.put({
    deviceId: who.id,
    name: "test",
    certPem: who.identity.certPem,
    grantedRole: role,
    role,
    addresses: ["127.0.0.1"],
    agentPort: who.agentPort.port,
    pairedAt: Date.now(),
  });
}
