/** Which routes are worth testing: who has to reach whom for the cluster to work, and for the machines to see each other. */
import { isLoopback } from "../../../worker-runtime/cluster/host.js";
import type { ClusterState, Machine, Task } from "../../api/cluster.js";
import { deviceIdSchema } from "../../api/machines.js";
import { agentAddresses, withoutZones } from "../../machine/agent-addresses.js";
import { hostOf } from "./hosts.js";
import type { ProbeKind } from "./probe.js";

/** One route to be tested. */
export interface PlannedRoute {
  /** The same for a route in every plan. */
  readonly key: string;
  /** Changes when something happened that may change the outcome. */
  readonly stamp: string;
  readonly from: Machine;
  readonly to: Machine;
  readonly kind: ProbeKind;
  /** The likeliest first; they are tried until one answers. */
  readonly addresses: readonly [string, ...string[]];
  readonly via: "direct" | "tunnel";
  readonly task?: Task;
  /**
   * For an agent: the device ID of the intended machine. Addresses of containers and old networks may lead to another
   * one.
   */
  readonly deviceId?: string;
}

/**
 * Above this number of routes to tasks, each machine tests one task of each other machine only: they share the path.
 */
const MANY_TASK_ROUTES = 2000;
/** A machine has a handful of addresses; those of containers and old networks at the end of the list lead nowhere. */
const MAX_AGENT_ADDRESSES = 3;

/**
 * The routes between all machines that are online, in both directions, agents first: each machine's agent, and each task
 * at the address that the ClusterSpec gives it. The agent of a paired machine that does not answer is dialled
 * nevertheless: the user wants to know which layer fails.
 *
 * @param canDial Whether a machine can be asked to dial.
 */
export function planRoutes(
  { machines, access }: Pick<ClusterState, "machines" | "access">,
  canDial: (machineId: string) => boolean,
): PlannedRoute[] {
  const online = machines.filter(({ kind, presence }) => kind !== "discovered" && presence === "online");
  const away = machines.filter(({ kind, presence }) => kind === "paired" && presence === "offline");
  const dialling = online.filter(({ id, kind }) => kind !== "foreign" && canDial(id));
  const pairs = dialling.flatMap((from) => online.filter((to) => to !== from).map((to) => ({ from, to })));
  const up = new Map(online.map(({ id, tasks }) => [id, tasks.filter(isReachable)]));
  const tasksOf = (machine: Machine) => up.get(machine.id) ?? [];
  const many = pairs.reduce((sum, { to }) => sum + tasksOf(to).length, 0) > MANY_TASK_ROUTES;
  return [
    ...pairs.flatMap(({ from, to }) => agentRoute(from, to)),
    ...dialling.flatMap((from) => away.flatMap((to) => agentRoute(from, to))),
    ...pairs.flatMap(({ from, to }) =>
      tasksOf(to)
        .slice(0, many ? 1 : undefined)
        .map((task) => taskRoute(from, to, task, access === "secure")),
    ),
  ];
}

function isReachable({ state, address }: Task): boolean {
  return (state === "running" || state === "unresponsive") && address !== "";
}

/** The route to a machine's agent; none if no address of it is known. */
export function agentRoute(from: Machine, to: Machine): PlannedRoute[] {
  if (to.kind === "foreign") return [];
  const known = agentAddresses(to);
  const [first, ...others] = (from.kind === "this" ? known : withoutZones(known)).slice(
    0,
    MAX_AGENT_ADDRESSES,
  );
  if (first === undefined) return [];
  return [
    {
      key: `${from.id} ${to.id} agent`,
      // A machine that has just gone is dialled again, and so is one that is back.
      stamp: [...(to.presence === "online" ? [] : ["away"]), first, ...others].join(" "),
      from,
      to,
      kind: "agent",
      addresses: [first, ...others],
      via: "direct",
      ...(deviceIdSchema.safeParse(to.id).success ? { deviceId: to.id } : {}),
    },
  ];
}

/** @param secure True if a loopback address is a tunnel's end on the dialling machine. */
export function taskRoute(from: Machine, to: Machine, task: Task, secure: boolean): PlannedRoute {
  return {
    key: `${from.id} ${to.id} ${task.id}`,
    // A restarted server may listen elsewhere or not at all.
    stamp: `${task.address} ${task.state} ${task.startedAt ?? 0}`,
    from,
    to,
    kind: "task",
    addresses: [task.address],
    via: secure && isLoopback(hostOf(task.address)) ? "tunnel" : "direct",
    task,
  };
}
