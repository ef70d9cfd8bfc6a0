/**
 * A paired machine as seen from here: a connection that is re-established whenever it ends, the machine's reports, and
 * every request that it can serve. To the cluster it is a task host like this machine.
 */
import type { TLSSocket } from "node:tls";
import { ProbeRequest, SetTunnelsRequest } from "../../../protos/generated/tensordeck/agent.js";
import type { LogLine } from "../../api/cluster.js";
import {
  type FirewallApply,
  type FirewallFacts,
  type FirewallPlan,
  firewallApplySchema,
  firewallFactsSchema,
  firewallPlanSchema,
} from "../../api/firewall.js";
import type { MachineFacts } from "../../api/machines.js";
import { layerResultSchema, type Throughput } from "../../api/reachability.js";
import type { MachineSample } from "../../api/samples.js";
import { unknownMachine } from "../../machine/description.js";
import type { FirewallChange, FirewallQuestion, FirewallTool } from "../../network/firewall/tool.js";
import type { Prober } from "../../network/reachability/probe.js";
import { printableText } from "../../shared/printable.js";
import { defined, problem } from "../../shared/problems.js";
import type { FixedCluster, HostTask, TaskHost, TaskOrder, TaskSamples } from "../../tasks/task-host.js";
import { Alpn } from "../port/agent-peer.js";
import { dialAgent } from "../port/dial-agent.js";
import type { AgentChannel } from "./agent-channel.js";
import type { ThroughputMeasurer } from "./collaborators.js";
import { LogFollower, type LogListener } from "./log-follower.js";
import { machineFromMessage } from "./messages/machine.js";
import { orderToMessage, serverDefOf } from "./messages/tasks.js";
import { PersistentChannel, type PersistentChannelOptions } from "./persistent-channel.js";
import { RemoteTasks } from "./remote-tasks.js";
import { changeToMessage, fromJson } from "./requests.js";
import type { TunnelRequest } from "./tunnel-request.js";
import { WindowForwarder } from "./window-forwarder.js";

/** A task is killed after a few seconds, and a busy machine may take longer. */
const STOP_DEADLINE_MILLIS = 30_000;
/** Three attempts at each layer. */
const PROBE_DEADLINE_MILLIS = 60_000;
/** The user of that machine is asked for a password. */
const FIREWALL_DEADLINE_MILLIS = 300_000;
/** Detecting libtensorflow starts other programs. */
const LOOK_DEADLINE_MILLIS = 30_000;
const THROUGHPUT_DEADLINE_MILLIS = 60_000;

/** The machine's agent's report; the machine's permissions here are kept elsewhere. */
export type RemoteFacts = Omit<MachineFacts, "kind" | "grantedRole">;

export class AgentConnection implements TaskHost, FirewallTool, ThroughputMeasurer {
  readonly deviceId: string;
  readonly #options: PersistentChannelOptions;
  readonly #agent: PersistentChannel;
  readonly #tasks = new RemoteTasks();
  readonly #logs = new LogFollower();
  /** Listens once the machine's window was first opened here. */
  #forwarder: Promise<WindowForwarder> | undefined;

  /** Does not dial before `open`. */
  constructor(options: PersistentChannelOptions) {
    this.deviceId = options.deviceId;
    this.#options = options;
    this.#agent = new PersistentChannel(options, {
      connected: (channel) => this.#logs.connect(channel),
      disconnected: () => this.#logs.disconnect(),
      watched: (event, isFirst) => {
        for (const id of event.removedTaskIds) this.#logs.forget(id);
        this.#tasks.apply(event, isFirst);
      },
    });
  }

  /** Keeps dialling until it is closed. */
  open(): void {
    this.#agent.open();
  }

  /** Dials now instead of after the current wait: the machine announced itself, or it has a new address. */
  dialNow(): void {
    this.#agent.dialNow();
  }

  /** Ends the connection and everything that waits for it; resolves when nothing is pending. */
  async close(): Promise<void> {
    const forwarder = await this.#forwarder?.catch(() => undefined);
    await Promise.all([this.#agent.close(), forwarder?.close()]);
  }

  facts(): RemoteFacts {
    const { name, presence, lastSeenAt, problem: why, described } = this.#agent;
    return defined({
      id: this.deviceId,
      name,
      presence,
      ...unknownMachine(),
      ...described?.description,
      role: described?.role,
      lastSeenAt: presence === "online" ? undefined : lastSeenAt,
      problem: why,
    });
  }

  /** Which process of the machine answered last; undefined for a version that does not report it. */
  get instance(): string | undefined {
    return this.#agent.described?.instance;
  }

  /** "host:port" at which the machine answers, with an IP address; undefined while it does not. */
  get address(): string | undefined {
    return this.#agent.channel?.address;
  }

  /** Calls the listener when the facts change, until the returned function is called. */
  onFacts(listener: () => void): () => void {
    return this.#agent.onChange(listener);
  }

  /** Calls the listener with each sample of the machine, until the returned function is called. */
  onSample(listener: (sample: MachineSample) => void): () => void {
    return this.#agent.onSample(listener);
  }

  /** Resolves once that machine has run detection. */
  async engines(): Promise<MachineFacts["engines"]> {
    const options = { deadlineMillis: LOOK_DEADLINE_MILLIS };
    const message = await this.#channel().call("describe", {}, options);
    return machineFromMessage(message).description.engines;
  }

  /** The last reported state, also while the machine does not answer. */
  tasks(): readonly HostTask[] {
    return this.#tasks.list();
  }

  onChange(listener: () => void): () => void {
    return this.#tasks.onChange(listener);
  }

  onSamples(listener: (samples: TaskSamples) => void): () => void {
    return this.#tasks.onSamples(listener);
  }

  /** For the tasks whose log was requested. */
  onLog(listener: LogListener): () => void {
    return this.#logs.onLog(listener);
  }

  async start(order: TaskOrder): Promise<HostTask> {
    return this.#tasks.put(await this.#channel().call("startTask", orderToMessage(order)));
  }

  async startAgain(taskId: string, fixed?: FixedCluster): Promise<void> {
    const task = this.#tasks.get(taskId);
    const serverDef = task && fixed && serverDefOf(fixed, task.job, task.index);
    this.#tasks.put(await this.#channel().call("startAgain", { taskId, serverDef }));
  }

  async stop(taskId: string): Promise<void> {
    const deadlineMillis = STOP_DEADLINE_MILLIS;
    this.#tasks.put(await this.#channel().call("stopTask", command(taskId), { deadlineMillis }));
  }

  async remove(taskId: string): Promise<void> {
    await this.#channel().call("removeTask", command(taskId), { deadlineMillis: STOP_DEADLINE_MILLIS });
    this.#logs.forget(taskId);
    this.#tasks.delete(taskId);
  }

  async clearState(taskId: string): Promise<void> {
    await this.#channel().call("clearState", command(taskId));
  }

  async log(taskId: string, afterSequence: number): Promise<LogLine[]> {
    return await this.#logs.read(this.#channel(), taskId, afterSequence);
  }

  /** Probes an address from that machine. */
  readonly probe: Prober = async ({ signal, ...request }) => {
    const options = { deadlineMillis: PROBE_DEADLINE_MILLIS, signal };
    const { layers } = await this.#channel().call("probe", ProbeRequest.fromPartial(request), options);
    return layers.map(({ layer, outcome, millis, detail: said, cause }) => {
      const detail = said === undefined ? undefined : printableText(said);
      return layerResultSchema.parse(defined({ layer, outcome, millis, detail, cause }));
    });
  };

  /** Measures the route from that machine to another one. */
  async measureThroughput(
    deviceId: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Throughput> {
    const request = { deviceId, agentAddresses: [...addresses] };
    const options = { deadlineMillis: THROUGHPUT_DEADLINE_MILLIS, signal };
    const { bytes, megabytesPerSecond, roundTripMillis, seconds } = await this.#channel().call(
      "measureThroughput",
      request,
      options,
    );
    return { bytes: Number(bytes), megabytesPerSecond, roundTripMillis, seconds };
  }

  /**
   * Sets the tunnels that the machine keeps for this machine's cluster.
   *
   * @returns ports on which it could not listen.
   */
  async setTunnels({ tunnels, admissions }: TunnelRequest): Promise<number[]> {
    const request = SetTunnelsRequest.fromPartial({
      tunnels: tunnels.map((tunnel) => ({ ...tunnel, agentAddresses: [...tunnel.agentAddresses] })),
      admissions: [...admissions],
    });
    return (await this.#channel().call("setTunnels", request)).takenPorts;
  }

  async inspect({ peerAddress = "", ports }: FirewallQuestion, signal: AbortSignal): Promise<FirewallFacts> {
    const options = { deadlineMillis: PROBE_DEADLINE_MILLIS, signal };
    const answer = await this.#channel().call("inspectFirewall", { peerAddress, ports: [...ports] }, options);
    return fromJson(firewallFactsSchema, answer, "state of the firewall");
  }

  async plan(change: FirewallChange, signal: AbortSignal): Promise<FirewallPlan> {
    const options = { deadlineMillis: PROBE_DEADLINE_MILLIS, signal };
    const answer = await this.#channel().call("planFirewall", changeToMessage(change), options);
    return fromJson(firewallPlanSchema, answer, "plan for the firewall");
  }

  apply(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply> {
    return this.#applying(change, false, signal);
  }

  undo(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply> {
    return this.#applying(change, true, signal);
  }

  /**
   * A one-time address, on this machine, of that machine's window. Valid until the connection object is closed.
   */
  async openWindow(): Promise<string> {
    const { token } = await this.#channel().call("openWindow", {});
    this.#forwarder ??= WindowForwarder.listen((signal) => this.#dialWindow(signal));
    const forwarder = await this.#forwarder.catch((error: unknown) => {
      this.#forwarder = undefined;
      throw error;
    });
    return `http://127.0.0.1:${forwarder.port}/#token=${token}`;
  }

  /** Tells the machine that this one has removed the pairing, so that it does the same. */
  async unpair(): Promise<void> {
    await this.#channel().call("unpair", {});
  }

  /** @throws ProblemError UNAVAILABLE while the machine does not answer. */
  #channel(): AgentChannel {
    const { channel, name, problem: why } = this.#agent;
    if (channel) return channel;
    throw problem("UNAVAILABLE", `${name} does not answer.`, {
      reason: why?.message ?? "The connection to it is being established.",
      remedy: why?.remedy,
      details: why?.details,
    });
  }

  async #dialWindow(signal: AbortSignal): Promise<TLSSocket> {
    const { identity, deviceId, addresses } = this.#options;
    const { name, channel } = this.#agent;
    const known = channel ? [channel.address, ...addresses()] : addresses();
    return await dialAgent({ identity, deviceId, addresses: known, name, alpn: Alpn.window, signal });
  }

  async *#applying(
    change: FirewallChange,
    undo: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<FirewallApply> {
    const request = { plan: changeToMessage(change), undo };
    const options = { deadlineMillis: FIREWALL_DEADLINE_MILLIS, signal };
    for await (const answer of this.#channel().answers("applyFirewall", request, options)) {
      yield fromJson(firewallApplySchema, answer, "state of the firewall");
    }
  }
}

function command(taskId: string): { taskId: string; serverDef: undefined } {
  return { taskId, serverDef: undefined };
}
