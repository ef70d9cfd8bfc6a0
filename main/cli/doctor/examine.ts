/** Examines this machine and tests the routes from it and from the paired machines that answer. */

import { withSharedSignal } from "../../../worker-runtime/cancellation/shared-signal.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { checkOwnHost } from "../../../worker-runtime/engines/address-check.js";
import { type PortHolder, portHolder } from "../../../worker-runtime/engines/port-holder.js";
import { type FoundRuntimes, searchRuntimes } from "../../../worker-runtime/engines/tensorflow/find.js";
import type { Machine, Task } from "../../api/cluster.js";
import type { FirewallFacts } from "../../api/firewall.js";
import type { Diagnosis, Reachability } from "../../api/reachability.js";
import type { MachineSample } from "../../api/samples.js";
import { machineEngines } from "../../machine/engines.js";
import type { GpuReading } from "../../machine/gpus.js";
import { MachineDescriber } from "../../machine/machine-describer.js";
import { keptRuleTag } from "../../network/firewall/rule-tag.js";
import { thisFirewall } from "../../network/firewall/this-firewall.js";
import { bySeverity, diagnose } from "../../network/reachability/diagnoses.js";
import { hostOf, portOf } from "../../network/reachability/hosts.js";
import { agentRoute, type PlannedRoute, taskRoute } from "../../network/reachability/plan.js";
import { probeAddress } from "../../network/reachability/probe.js";
import { type ProxySettings, proxySettings } from "../../network/reachability/proxies.js";
import { RouteTests } from "../../network/reachability/route-tests.js";
import { describeRoutes } from "../../network/reachability/routes.js";
import { askInstance, knownPeersSchema } from "../../peers/agent/instance-lock.js";
import { loadIdentity } from "../../peers/identity/identity.js";
import { deferred } from "../../shared/deferred.js";
import { defined, messageOf } from "../../shared/problems.js";
import { openWorkerProbe } from "../../tasks/worker-probe.js";
import type { DoctorOptions } from "./options.js";
import { ownAgentPort, untestedAgent } from "./own-agent.js";
import { PairedAgents } from "./paired-agents.js";
import { placeTasks, readPaired, THIS_MACHINE } from "./task-machines.js";

export interface Examination {
  /** Where the cluster was found; empty when there is none. */
  readonly source: string;
  /** This machine first. */
  readonly machines: readonly Machine[];
  /** Those of this machine. */
  readonly gpus: readonly GpuReading[];
  readonly runtimes: FoundRuntimes;
  readonly proxies: ProxySettings;
  /** Absent if it cannot be examined. */
  readonly firewall?: FirewallFacts;
  /** The programs that listen on the ports of this machine's tasks, by port. */
  readonly holders: ReadonlyMap<number, PortHolder>;
  readonly reachability: Reachability;
}

export interface ExamineHooks {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** Rejects with the signal's reason once it is aborted. */
export async function examine(
  options: DoctorOptions,
  { signal, onProgress }: ExamineHooks,
): Promise<Examination> {
  onProgress("Checking this machine …");
  const [{ description, gpus }, paired] = await Promise.all([
    describeThisMachine(),
    readPaired(options.dataDir),
  ]);
  const agents = await PairedAgents.connect(paired, options.dataDir, signal);
  try {
    const placed = await placeTasks(description, paired, options.cluster);
    const [ownAgent, { clones, callers }] = await Promise.all([
      ownAgentPort(paired, options.dataDir, signal),
      askRunningInstance(options.dataDir),
    ]);
    const machines = placed.map((placedOne): Machine => {
      const machine = { ...placedOne, ...defined({ clones: clones.get(placedOne.id) }) };
      if (machine.id === THIS_MACHINE) return { ...machine, ...defined({ agentPort: ownAgent }) };
      const presence = machine.kind === "paired" ? "offline" : machine.presence;
      return { ...machine, presence, ...agents.factsOf(machine.id) };
    });
    return await examineMachines(options, { machines, gpus, agents, callers }, { signal, onProgress });
  } finally {
    await agents.close();
  }
}

interface FoundMachines extends Pick<RunningInstance, "callers"> {
  readonly machines: readonly Machine[];
  readonly gpus: readonly GpuReading[];
  readonly agents: PairedAgents;
}

async function examineMachines(
  options: DoctorOptions,
  { machines, gpus, agents, callers }: FoundMachines,
  { signal, onProgress }: ExamineHooks,
): Promise<Examination> {
  const ownPorts = tasksHere(machines).flatMap(({ address }) => portOf(address) ?? []);

  const [tested, runtimes, firewall, holders] = await Promise.all([
    testRoutes(machines, agents, { signal, onProgress }),
    searchRuntimes({ signal }),
    inspectFirewall(ownPorts, options.dataDir, signal),
    findHolders(ownPorts),
  ]);
  signal.throwIfAborted();
  const engines = machineEngines(runtimes.found[0], gpus.length);
  const incarnations = new Map<string, string>();
  const seen = await withSharedSignal(signal, (shared) =>
    Promise.all(
      machines.map(async (machine) => ({
        ...machine,
        ...(machine.id === THIS_MACHINE ? { engines } : {}),
        tasks: await Promise.all(
          machine.tasks.map((task) => withState(task, machine, tested, holders, incarnations, shared)),
        ),
      })),
    ),
  );
  const routes = describeRoutes(
    tested.plans,
    (key) => tested.tests.result(key),
    (machineId) => (machineId === THIS_MACHINE ? firewall : undefined),
    (machineId) => callers.has(machineId),
  );
  const proxies = proxySettings();
  const diagnoses = diagnose({
    now: Date.now(),
    membership: "fixed",
    access: "open",
    machines: seen,
    routes,
    incarnations,
    samples: {
      machines: new Map<string, Partial<MachineSample>>([
        ...agents.samples,
        [THIS_MACHINE, { gpus: [...gpus] }],
      ]),
      tasks: new Map(),
    },
    proxies: [{ machineId: THIS_MACHINE, ...proxies }],
  });
  return {
    source: options.source,
    machines: seen,
    gpus,
    runtimes,
    proxies,
    ...(firewall ? { firewall } : {}),
    holders,
    reachability: {
      state: "done",
      checkedAt: Date.now(),
      routes,
      diagnoses: bySeverity([
        ...(await ownAddress(options)),
        ...untestedAgent(machines, tested.plans),
        ...diagnoses,
      ]),
    },
  };
}

/** Facts about other machines that only the Tensordeck running here can have learned. */
interface RunningInstance {
  /** Addresses of the machines that share one identity, by machine. */
  readonly clones: ReadonlyMap<string, string[]>;
  /** The machines that have a connection to this one now. */
  readonly callers: ReadonlySet<string>;
}

async function askRunningInstance(dataDir: string): Promise<RunningInstance> {
  const answer = await askInstance(dataDir, "peers").catch(() => undefined);
  if (answer === undefined) return { clones: new Map(), callers: new Set() };
  const known = knownPeersSchema.parse(JSON.parse(answer));
  const clones = new Map(Object.entries(known.clones));
  const { deviceId } = await loadIdentity(dataDir);
  const own = clones.get(deviceId);
  if (own) clones.set(THIS_MACHINE, own);
  return { clones, callers: new Set(known.callers) };
}

async function describeThisMachine() {
  const describer = new MachineDescriber({
    name: () => "",
    agentPort: () => undefined,
    engines: () => [],
    taskOfPid: () => undefined,
  });
  try {
    await describer.start();
    return { description: describer.description(), gpus: describer.gpus() };
  } finally {
    describer.dispose();
  }
}

function tasksHere(machines: readonly Machine[]): readonly Task[] {
  return machines.find(({ id }) => id === THIS_MACHINE)?.tasks ?? [];
}

interface Tested {
  readonly plans: readonly PlannedRoute[];
  readonly tests: RouteTests;
}

/** Resolves when every route was tested. */
async function testRoutes(
  machines: readonly Machine[],
  agents: PairedAgents,
  { signal, onProgress }: ExamineHooks,
): Promise<Tested> {
  const proberOf = (id: string) => (id === THIS_MACHINE ? probeAddress : agents.proberOf(id));
  const plans = machines
    .filter(({ id }) => proberOf(id) !== undefined)
    .flatMap((from) =>
      machines.flatMap((to) => [
        ...(to === from ? [] : agentRoute(from, to)),
        ...to.tasks
          .filter(({ address }) => parseHostPort(address))
          .map((task) => taskRoute(from, to, task, false)),
      ]),
    );
  const done = deferred<void>();
  let answered = 0;
  const tests = new RouteTests({
    proberOf,
    onChange: () => {
      onProgress(`Tested ${++answered} of ${plans.length} routes …`);
      if (!tests.busy) done.resolve();
    },
  });
  const abort = () => {
    tests.stop();
    done.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    tests.follow(plans, true);
    if (tests.busy) await done.promise;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return { plans, tests };
}

/** A task with the result of its route; names the program that has its port here. */
async function withState(
  task: Task,
  machine: Machine,
  { plans, tests }: Tested,
  holders: ReadonlyMap<number, PortHolder>,
  incarnations: Map<string, string>,
  signal: AbortSignal,
): Promise<Task> {
  const plan = plans.find((one) => one.task === task && one.from.id === THIS_MACHINE);
  const layers = (plan && tests.result(plan.key)?.layers) ?? [];
  if (layers.at(-1)?.outcome === "ok") {
    const probe = openWorkerProbe(task.address);
    try {
      const { devices, incarnation } = await probe.check(signal);
      incarnations.set(task.id, incarnation);
      return { ...task, state: "running", devices: [...devices] };
    } catch {
      return { ...task, state: "running" };
    } finally {
      probe.close();
    }
  }
  const port = portOf(task.address);
  const holder = machine.id === THIS_MACHINE && port !== undefined ? holders.get(port) : undefined;
  const connected = layers.some(({ layer, outcome }) => layer === "tcp" && outcome === "ok");
  if (holder && connected) {
    const message = `port ${port} is in use by ${holder.name || "a program"} (process ${holder.pid}).`;
    return { ...task, state: "failed", problem: { code: "FAILED_PRECONDITION", message } };
  }
  return { ...task, state: layers.some(({ cause }) => cause === "refused") ? "stopped" : task.state };
}

/** Reading the rules needs rights on some systems; a report without them is still worth having. */
async function inspectFirewall(
  ports: readonly number[],
  dataDir: string,
  signal: AbortSignal,
): Promise<FirewallFacts | undefined> {
  try {
    const tag = (await keptRuleTag(dataDir)) ?? "";
    const firewall = thisFirewall({ agentPort: () => undefined, programs: [process.execPath], tag });
    return await firewall.inspect({ ports }, signal);
  } catch {
    return undefined;
  }
}

async function findHolders(ports: readonly number[]): Promise<Map<number, PortHolder>> {
  const holders = new Map<number, PortHolder>();
  for (const port of ports) {
    const holder = await portHolder(port);
    if (holder) holders.set(port, holder);
  }
  return holders;
}

/** TF_CONFIG defines which task this machine is; the others dial the address in it. */
async function ownAddress({ cluster, ownTask }: DoctorOptions): Promise<Diagnosis[]> {
  if (!ownTask || !cluster.has(ownTask.job, ownTask.index)) return [];
  const name = `${ownTask.job}/${ownTask.index}`;
  const address = cluster.taskAddress(ownTask.job, ownTask.index);
  const own = await checkOwnHost(hostOf(address)).catch((error: unknown) => ({
    kind: "foreign" as const,
    warning: messageOf(error),
  }));
  if (own.kind !== "foreign") return [];
  return [
    {
      id: "own-address-elsewhere",
      severity: "warning",
      machineId: THIS_MACHINE,
      taskId: name,
      problem: {
        code: "INVALID_ARGUMENT",
        message: `TF_CONFIG says that this machine is ${name}, but ${address} is not an address of this machine.`,
        reason: own.warning,
        remedy: "Correct the task or the address in TF_CONFIG.",
        task: name,
      },
    },
  ];
}
