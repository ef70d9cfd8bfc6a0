/** The service that this machine offers to paired machines, behind their connections. */
import type { Duplex } from "node:stream";
import * as wire from "../../../protos/generated/tensordeck/agent.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import type { FirewallApply } from "../../api/firewall.js";
import type { FirewallTool } from "../../network/firewall/tool.js";
import type { Prober } from "../../network/reachability/probe.js";
import { log } from "../../shared/log/log.js";
import { problem } from "../../shared/problems.js";
import { exposureRefused } from "../../tasks/exposure.js";
import type { FixedCluster, HostTask, TaskHost } from "../../tasks/task-host.js";
import { isTaskPort, TASK_PORTS_TEXT } from "../../tasks/task-ports.js";
import { INSTANCE } from "../identity/instance.js";
import type { TrustStore } from "../trust/trust-store.js";
import { CallerLimits, CallerRates } from "./caller-limits.js";
import type { MachineSource, ScriptRunner, ThroughputMeasurer, TunnelHolder } from "./collaborators.js";
import { sendLog } from "./log-stream.js";
import { type DescribedMachine, machineToMessage } from "./messages/machine.js";
import { fixedClusterOf, orderFromMessage, taskToMessage } from "./messages/tasks.js";
import { type AgentHandlers, type Send, servePeer } from "./peer-server.js";
import {
  changeOf,
  logOf,
  measurementOf,
  probeOf,
  questionOf,
  taskIdOf,
  toJson,
  tunnelsOf,
} from "./requests.js";
import { admitCall, includesRole } from "./roles.js";
import type { SharedWindow } from "./shared-window.js";
import { sendChanges } from "./watch-stream.js";

/** A measurement takes 64 MB; this limits how much of them a caller can cause. */
const MAX_SINK_BYTES = 1 << 30;
const FORGET_DELAY_MILLIS = 100;
/** Tasks of one machine; each is a process of a few hundred megabytes. */
const MAX_TASKS = 128;
/** Each has up to 64 tasks, and a folder of its own. */
const MAX_SCRIPT_JOBS = 8;
/** A window tests at most six routes from one machine at a time. */
const MAX_PROBES = 16;
/** Each saturates the network for a second. */
const MAX_MEASUREMENTS = 4;
/** An application has one; a second one of the same account and `doctor` briefly have one each. */
const MAX_WATCHES = 8;
/**
 * Concurrent calls and streams over all connections of a machine: one for each task whose log is open, and a few
 * more.
 */
const MAX_CALLS = 256;
/**
 * A ping every two seconds, and bursts when a cluster is set up; far below what would noticeably load this
 * machine.
 */
const CALLS_PER_SECOND = 100;
const CALLS_AT_ONCE = 1000;

export interface AgentServiceOptions {
  /** The device ID of this machine. */
  readonly deviceId: string;
  /** Asked again for each call, so that a change of roles takes effect at once. */
  readonly trust: Pick<TrustStore, "get" | "onChange" | "remove">;
  readonly machine: MachineSource;
  readonly tasks: TaskHost;
  /** Whether the network may reach tasks that other machines start here. */
  readonly mayExpose: () => boolean;
  readonly prober: Prober;
  readonly tunnels: TunnelHolder;
  readonly firewall: FirewallTool;
  readonly throughput: ThroughputMeasurer;
  readonly scripts: ScriptRunner;
  /** Absent if the window is not a page of a browser. */
  readonly window?: Pick<SharedWindow, "issueToken">;
}

/** A connection of a paired machine, as passed on by the agent's port. */
export interface PairedPeer {
  readonly deviceId: string;
  readonly socket: Duplex;
}

export class AgentService {
  readonly #options: AgentServiceOptions;
  readonly #handlers: AgentHandlers;
  /** The function that ends each connection, with the machine that it belongs to. */
  readonly #connections = new Map<() => void, string>();
  readonly #calls = new CallerLimits(MAX_CALLS, "calls under way");
  readonly #rates = new CallerRates(CALLS_PER_SECOND, CALLS_AT_ONCE);
  #closed = false;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#handlers = handlersOf(options);
  }

  /**
   * Serves a connection until it ends. What it may call follows from the role of its machine at the time of the call.
   */
  accept({ deviceId, socket }: PairedPeer): void {
    if (this.#closed) {
      socket.destroy();
      return;
    }
    const { trust, machine } = this.#options;
    const end = servePeer(socket, {
      caller: deviceId,
      handlers: this.#handlers,
      admit: (method) => admitCall(method, trust.get(deviceId)?.grantedRole, machine.description().name),
      within: (work) => {
        this.#rates.count(deviceId, performance.now());
        return this.#calls.within(deviceId, work);
      },
    });
    this.#connections.set(end, deviceId);
    socket.once("close", () => this.#connections.delete(end));
  }

  /** Ends every connection and accepts no further ones. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#connections.keys()]) end();
  }

  /** Device IDs of the machines that have a connection to this one now. */
  callers(): string[] {
    return [...new Set(this.#connections.values())];
  }
}

function handlersOf(options: AgentServiceOptions): AgentHandlers {
  return {
    ...machineHandlers(options),
    ...taskHandlers(options),
    ...networkHandlers(options),
    ...scriptHandlers(options),
    ...firewallHandlers(options),
  };
}

function machineHandlers({ deviceId, trust, machine, tasks, window }: AgentServiceOptions) {
  const watches = new CallerLimits(MAX_WATCHES, "streams of changes");
  const describe = (caller: string): DescribedMachine => ({
    deviceId,
    role: trust.get(caller)?.grantedRole ?? "view",
    description: machine.description(),
    instance: INSTANCE,
  });
  return {
    // The caller wants to know which engines can run here, so detection runs first.
    describe: async (_, { caller }) => {
      const engines = await tasks.engines?.();
      const described = describe(caller);
      return machineToMessage(
        engines ? { ...described, description: { ...described.description, engines } } : described,
      );
    },
    watch: async (_, { caller, signal }, send) => {
      const onRoleChange = (listener: () => void) => trust.onChange((id) => id === caller && listener());
      const watched = { tasks, machine, describe: () => describe(caller), onRoleChange };
      await watches.within(caller, () => sendChanges(watched, signal, send));
    },
    // The round trip limits the precision to about a millisecond.
    ping: () => ({ clockMillis: Date.now() }),
    openWindow: () => {
      if (window) return { token: window.issueToken() };
      throw problem("FAILED_PRECONDITION", `${machine.description().name} shows its window itself.`, {
        reason: "Tensordeck runs there as a program with a window, not as an agent.",
        remedy: "Use it there; its tasks can be used from here.",
      });
    },
    unpair: async (_, { caller }) => {
      // The connection ends with the pairing, so the answer is sent first.
      setTimeout(() => {
        trust.remove(caller).catch((error: unknown) => {
          log.error("A machine that has forgotten this one could not be forgotten:", error);
        });
      }, FORGET_DELAY_MILLIS).unref();
      return {};
    },
  } satisfies Partial<AgentHandlers>;
}

function taskHandlers({ tasks, machine, trust, mayExpose }: AgentServiceOptions) {
  const limits = new CallerLimits(MAX_TASKS, "tasks");
  const found = (taskId: string): HostTask => {
    const task = tasks.tasks().find(({ id }) => id === taskId);
    if (task) return task;
    throw problem("NOT_FOUND", `${machine.description().name} no longer has that task.`, {
      reason: "It was removed, or Tensordeck was restarted there.",
      details: taskId,
    });
  };
  /** A task that the caller may start, stop and empty: one of its own, or any if it may manage this machine. */
  const commanded = (taskId: string, caller: string): HostTask => {
    const task = found(taskId);
    const role = trust.get(caller)?.grantedRole ?? "view";
    if (task.owner === caller || includesRole(role, "manage")) return task;
    const { name } = machine.description();
    throw problem("PERMISSION_DENIED", `${task.job}/${task.index} on ${name} is another machine's task.`, {
      reason: `With the role "${role}" a machine may start, stop and clear only tasks that it added itself.`,
      remedy: `Do it where the task was added or on ${name}, or let the user of ${name} give this machine the role "manage".`,
    });
  };
  return {
    watchLog: async (request, { signal }, send) => {
      const { taskId, afterSequence } = logOf(request);
      found(taskId);
      await sendLog(tasks, taskId, afterSequence, signal, send);
    },
    startTask: async (request, { caller }) => {
      const order = orderFromMessage(request, caller);
      if (!order.isolate && !mayExpose()) throw exposureRefused(machine.description().name);
      checkPort(order.port, machine.description().name);
      if (order.fixed) checkOwnPort(order.fixed, order, machine.description().name);
      const others = tasks.tasks().filter(({ id, owner }) => owner === caller && id !== order.taskId);
      return taskToMessage(await limits.within(caller, () => tasks.start(order), others.length));
    },
    startAgain: async (request, { caller }) => {
      const task = commanded(taskIdOf(request), caller);
      const { id } = task;
      const fixed = request.serverDef && fixedClusterOf(request.serverDef);
      if (fixed) checkOwnPort(fixed, task, machine.description().name);
      await tasks.startAgain(id, fixed);
      return taskToMessage(found(id));
    },
    stopTask: async (request, { caller }) => {
      const { id } = commanded(taskIdOf(request), caller);
      await tasks.stop(id);
      return taskToMessage(found(id));
    },
    removeTask: async (request, { caller }) => {
      await tasks.remove(commanded(taskIdOf(request), caller).id);
      return {};
    },
    clearState: async (request, { caller }) => {
      await tasks.clearState(commanded(taskIdOf(request), caller).id);
      return {};
    },
  } satisfies Partial<AgentHandlers>;
}

/** @throws ProblemError INVALID_ARGUMENT for a port that is reserved for this machine's other programs. */
function checkPort(port: number, machine: string): void {
  if (port === 0 || isTaskPort(port)) return;
  throw problem("INVALID_ARGUMENT", `A task on ${machine} cannot have port ${port}.`, {
    reason:
      "Other machines choose among the ports of tasks only, so that none uses a port that a program there needs.",
    remedy: `Choose a port from ${TASK_PORTS_TEXT}, or omit it.`,
  });
}

/**
 * The server of a fixed cluster listens on the port that the cluster has for its task.
 * @throws ProblemError INVALID_ARGUMENT as checkPort, or if the cluster does not have the task.
 */
function checkOwnPort(
  { cluster }: FixedCluster,
  task: Pick<HostTask, "job" | "index">,
  machine: string,
): void {
  const { job, index } = task;
  const own = parseHostPort(cluster[job]?.[index] ?? "");
  if (!own || own.port === 0) {
    throw problem("INVALID_ARGUMENT", `The cluster of the order has no address for ${job}/${index}.`, {
      remedy: "Give the task the address that the cluster has for it.",
    });
  }
  checkPort(own.port, machine);
}

function networkHandlers({ prober, tunnels, throughput }: AgentServiceOptions) {
  const probes = new CallerLimits(MAX_PROBES, "probes under way");
  const measurements = new CallerLimits(MAX_MEASUREMENTS, "measurements under way");
  return {
    setTunnels: async (request, { caller }) => ({
      takenPorts: await tunnels.setTunnels(caller, tunnelsOf(request)),
    }),
    probe: async (request, { caller, signal }) => {
      const layers = await probes.within(caller, () => prober({ ...probeOf(request), signal }));
      return wire.ProbeReply.fromPartial({ layers });
    },
    measureThroughput: async (request, { caller, signal }) => {
      const { deviceId, agentAddresses } = measurementOf(request);
      const speed = await measurements.within(caller, () =>
        throughput.measureThroughput(deviceId, agentAddresses, signal),
      );
      return wire.MeasureThroughputReply.fromPartial({ ...speed, bytes: BigInt(speed.bytes) });
    },
    sink: async (chunks, _, send) => {
      let total = 0;
      for await (const { data } of chunks) {
        total += data.length;
        if (total > MAX_SINK_BYTES) throw problem("RESOURCE_EXHAUSTED", "A measurement is not that long.");
        await send({ bytes: BigInt(data.length) });
      }
    },
  } satisfies Partial<AgentHandlers>;
}

function scriptHandlers({ scripts }: AgentServiceOptions) {
  const jobs = new CallerLimits(MAX_SCRIPT_JOBS, "jobs of scripts under way");
  return {
    runScript: async (messages, { caller, signal }, send) =>
      await jobs.within(caller, () => scripts.run(caller, messages, send, signal)),
  } satisfies Partial<AgentHandlers>;
}

function firewallHandlers({ firewall, machine }: AgentServiceOptions) {
  return {
    inspectFirewall: async (request, { signal }) =>
      toJson(await firewall.inspect(questionOf(request), signal)),
    planFirewall: async (request, { signal }) => toJson(await firewall.plan(changeOf(request), signal)),
    applyFirewall: async (request, { signal }, send: Send<wire.JsonValue>) => {
      if (!request.plan) {
        throw problem("INVALID_ARGUMENT", `${machine.description().name} was not given a change to make.`);
      }
      const change = changeOf(request.plan);
      const states: AsyncIterable<FirewallApply> = request.undo
        ? firewall.undo(change, signal)
        : firewall.apply(change, signal);
      for await (const state of states) await send(toJson(state));
    },
  } satisfies Partial<AgentHandlers>;
}
