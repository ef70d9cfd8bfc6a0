/** Problems that the routes show. */
import type { Route } from "../../../api/reachability.js";
import { listText } from "../explain/evidence.js";
import { finding, groupBy, type Rule } from "./diagnosis.js";
import { machineName, placedTasks, type Situation } from "./situation.js";

/** 100 Mbit/s: the speed to which a cable with broken pairs or an old switch falls back; good Wi-Fi exceeds it. */
const SLOW_MEGABYTES_PER_SECOND = 12.5;
/** In milliseconds. A wired network has less than one, good Wi-Fi a few. */
const LONG_ROUND_TRIP_MILLIS = 20;

function failing({ routes }: Pick<Situation, "routes">): Route[] {
  return routes.filter(({ outcome }) => outcome === "failed");
}

function isProxied({ layers }: Route): boolean {
  return layers.some(({ cause }) => cause === "http1");
}

/** "raspberrypi → gpu-pc:2222: timed out after 3.0 s", a line for each route. */
function routeList(situation: Situation, routes: readonly Route[]): string {
  return routes
    .map(({ from, address, layers }) => {
      const seen = layers.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed")?.detail;
      return `${machineName(situation, from)} → ${address}${seen === undefined ? "" : `: ${seen}`}`;
    })
    .join("\n");
}

export const firewallBlocks: Rule = (situation) => {
  const blocked = failing(situation).filter(({ firewallOf }) => firewallOf !== undefined);
  return [...groupBy(blocked, ({ firewallOf }) => firewallOf ?? "")].map(([machineId, routes]) => {
    const name = machineName(situation, machineId);
    const addresses = [...new Set(routes.map(({ address }) => address))];
    const first = routes[0]?.problem;
    return finding(
      "error",
      {
        code: "UNAVAILABLE",
        message:
          routes.length === 1 && first
            ? first.message
            : `${name}'s firewall blocks ${routes.length} routes, to ${listText(addresses.slice(0, 4))}.`,
        reason: first?.reason,
        remedy: first?.remedy,
        details: routeList(situation, routes),
      },
      { machineId },
    );
  });
};

export const proxyInTheWay: Rule = (situation) =>
  [...groupBy(failing(situation).filter(isProxied), ({ from }) => from)].map(([machineId, routes]) =>
    finding(
      "error",
      {
        code: "UNAVAILABLE",
        message: routes[0]?.problem?.message ?? "A proxy answers instead of a task.",
        reason: routes[0]?.problem?.reason,
        remedy: routes[0]?.problem?.remedy,
        details: routeList(situation, routes),
      },
      { machineId },
    ),
  );

/** Any other reason for a failing route, once for each machine that is not reached. */
export const routeBroken: Rule = (situation) => {
  const others = failing(situation).filter((route) => route.firewallOf === undefined && !isProxied(route));
  return [...groupBy(others, ({ to, taskId }) => `${to} ${taskId ?? ""}`).values()].map((routes) => {
    const [first] = routes;
    const many = routes.length > 1 ? ` The same applies to ${routes.length} machines.` : "";
    return finding(
      "error",
      {
        code: first?.problem?.code ?? "UNAVAILABLE",
        message: first?.problem?.message ?? `${machineName(situation, first?.to ?? "")} is not reached.`,
        reason: first?.problem?.reason === undefined ? undefined : `${first.problem.reason}${many}`,
        remedy: first?.problem?.remedy,
        details: routeList(situation, routes),
      },
      { machineId: first?.to, taskId: first?.taskId, task: first?.problem?.task },
    );
  });
};

/** Reachable in one direction only: enough for a session to start, but not for a step to finish. */
export const oneWay: Rule = (situation) => {
  const works = (from: string, to: string) =>
    situation.routes.some((route) => route.from === from && route.to === to && route.outcome === "ok");
  const broken = failing(situation).filter(({ from, to }) => works(to, from) && !works(from, to));
  return [...groupBy(broken, ({ from, to }) => `${from} ${to}`).values()].flatMap((routes) => {
    const [route] = routes;
    if (!route) return [];
    const from = machineName(situation, route.from);
    const to = machineName(situation, route.to);
    return [
      finding(
        "warning",
        {
          code: "UNAVAILABLE",
          message: `${to} reaches ${from}, but ${from} does not reach ${to}.`,
          reason:
            "The tasks of a cluster dial each other, not only the master: the task that needs a tensor fetches it from the one that has it, so every pair must connect both ways.",
          remedy:
            route.firewallOf === undefined
              ? undefined
              : `Open the ports of ${machineName(situation, route.firewallOf)}.`,
          details: routeList(situation, routes),
        },
        { machineId: route.firewallOf ?? route.to },
      ),
    ];
  });
};

export const slowLink: Rule = (situation) =>
  (situation.throughputs ?? [])
    .filter(({ speed }) => speed.megabytesPerSecond < SLOW_MEGABYTES_PER_SECOND)
    .map(({ from, to, speed }) =>
      finding(
        "warning",
        {
          message: `${machineName(situation, from)} sends to ${machineName(situation, to)} at ${speed.megabytesPerSecond.toFixed(1)} MB/s only.`,
          reason:
            "Probably Wi-Fi, or a cable or switch that fell back to 100 Mbit/s: gigabit Ethernet carries about 110 MB/s.",
          remedy: "Use a cable, or keep nodes that belong together on one machine.",
        },
        { machineId: from },
      ),
    );

export const longRoundTrip: Rule = (situation) => {
  const slow = situation.routes.filter(
    ({ outcome, roundTripMillis, taskId }) =>
      outcome === "ok" && taskId === undefined && (roundTripMillis ?? 0) > LONG_ROUND_TRIP_MILLIS,
  );
  return [...groupBy(slow, ({ to }) => to)].map(([machineId, routes]) => {
    const longest = Math.max(...routes.map(({ roundTripMillis = 0 }) => roundTripMillis));
    return finding(
      "info",
      {
        message: `${machineName(situation, machineId)} is ${Math.round(longest)} ms away from ${listText(routes.slice(0, 3).map(({ from }) => machineName(situation, from)))}.`,
        reason:
          "Every tensor that crosses costs at least one such round trip; a wired network takes less than 1 ms.",
        remedy: "Use a cable, or keep nodes that belong together on one machine.",
      },
      { machineId },
    );
  });
};

export const discoveryUnavailable: Rule = ({ discovery }) =>
  discovery?.state === "unavailable" && discovery.problem
    ? [
        finding("warning", {
          ...discovery.problem,
          remedy: discovery.problem.remedy ?? "Add machines by their address.",
        }),
      ]
    : [];

export const rawPortOpen: Rule = ({ exposures = [] }) =>
  exposures.map((exposure) => finding("warning", exposure, { task: exposure.task }));

/** Reported for as long as the cluster is open: the choice is easily forgotten. */
export const openCluster: Rule = (situation) =>
  situation.access === "open" && placedTasks(situation).some(({ task }) => task.state === "running")
    ? [
        finding("info", {
          message: "The cluster is open: anyone who reaches its ports can run any graph.",
          reason: "TensorFlow's protocol has no passwords, and a graph can read and write files.",
          remedy: "Use it on networks that you trust, or make it secure.",
        }),
      ]
    : [];
