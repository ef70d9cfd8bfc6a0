/** The report, for people and for scripts. */
import type { Diagnosis, Route } from "../../api/reachability.js";
import { bytesText } from "../../network/reachability/diagnoses/diagnosis.js";
import { portOf } from "../../network/reachability/hosts.js";
import { durationText } from "../../network/reachability/layers/result.js";
import type { Examination } from "./examine.js";
import { THIS_MACHINE } from "./task-machines.js";

type Mark = "✓" | "✗" | "!" | "–";

const marks: Readonly<Record<Diagnosis["severity"], Mark>> = { error: "✗", warning: "!", info: "–" };
const WIDTH = 100;

/** The routes and diagnoses as sent to windows (main/api/reachability.ts), and the facts about this machine. */
export function reportJson({
  machines,
  gpus,
  runtimes,
  proxies,
  firewall,
  holders,
  reachability,
}: Examination): string {
  const self = machines.find(({ id }) => id === THIS_MACHINE);
  const report = {
    ...reachability,
    machine: {
      name: self?.name,
      osName: self?.osName,
      addresses: self?.addresses,
      gpus,
      runtimes: runtimes.found,
      unusableRuntimes: runtimes.rejected,
      proxies,
      firewall,
      ports: [...holders].map(([port, holder]) => ({ port, ...holder })),
    },
    names: Object.fromEntries(machines.map(({ id, name }) => [id, name])),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** Aligned, one line per check, and below them what to do. */
export function reportText(examination: Examination): string {
  const sections = [
    thisMachine(examination),
    tasks(examination),
    agents(examination),
    fromElsewhere(examination),
    findings(examination),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

type Row = readonly [mark: Mark, ...cells: string[]];

/** Columns as wide as their widest cell; the last one is not filled up. */
function aligned(rows: readonly Row[]): string[] {
  const widths: number[] = [];
  for (const [, ...cells] of rows) {
    cells.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map(([mark, ...cells]) =>
    `  ${mark} ${cells.map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  ")}`.trimEnd(),
  );
}

/** @param reason why the TensorFlow that was found cannot be used; undefined if none was found, which is no fault */
function runtimeRow(reason: string | undefined): Row {
  return reason === undefined
    ? ["–", "runtime", "no TensorFlow; tasks run on the portable engine"]
    : ["!", "runtime", reason];
}

function thisMachine({ machines, gpus, runtimes, proxies, firewall, holders }: Examination): string[] {
  const self = machines.find(({ id }) => id === THIS_MACHINE);
  if (!self) return [];
  const [best] = runtimes.found;
  const names = Object.keys(proxies.variables);
  const rows: Row[] = [
    [self.addresses.length > 0 ? "✓" : "!", "addresses", self.addresses.join(", ") || "loopback only"],
    best
      ? ["✓", "runtime", `TensorFlow ${best.version}, ${best.gpu ? "GPU" : "CPU"}, ${best.origin}`]
      : runtimeRow(runtimes.rejected[0]?.reason),
    ...gpuRows(gpus),
    names.length > 0 ? ["!", "proxies", names.join(", ")] : ["✓", "proxies", "none set"],
    ["–", "firewall", firewallText(firewall)],
    ...[...holders].map(
      ([port, { name, pid }]): Row => ["–", `port ${port}`, `${name || "a program"} (process ${pid})`],
    ),
  ];
  const about = [self.osName, `${self.cores} cores`, bytesText(self.memoryBytes)].filter(
    (text) => text !== "",
  );
  return [`This machine: ${self.name} (${about.join(", ")})`, ...aligned(rows)];
}

function gpuRows(gpus: Examination["gpus"]): Row[] {
  return gpus.map(({ index, name, memoryBytes, usedBytes }) => [
    "✓",
    `GPU ${index}`,
    `${name}, ${bytesText(memoryBytes)}${usedBytes === undefined ? "" : `, ${bytesText(usedBytes)} in use`}`,
  ]);
}

function firewallText(firewall: Examination["firewall"]): string {
  if (!firewall) return "cannot be inspected";
  if (firewall.tool === "none") return "none";
  const state = firewall.active ? "active" : "not active";
  return `${firewall.name}, ${state}${firewall.problem ? `: ${firewall.problem.message}` : ""}`;
}

function tasks({ source, machines, reachability }: Examination): string[] {
  const rows = machines.flatMap((machine) =>
    machine.tasks.map((task): Row => {
      const route = reachability.routes.find(
        ({ from, taskId }) => from === THIS_MACHINE && taskId === task.id,
      );
      return [markOf(route), task.id, task.address, timeOf(route), outcomeText(route)];
    }),
  );
  if (rows.length === 0) return [];
  return [`Tasks, from ${source}`, ...aligned(rows)];
}

function agents({ machines, reachability }: Examination): string[] {
  const rows = machines
    .filter(({ kind }) => kind === "paired")
    .map((machine): Row => {
      const route = reachability.routes.find(
        ({ from, to, taskId }) => from === THIS_MACHINE && to === machine.id && taskId === undefined,
      );
      const port = route && portOf(route.address);
      return [
        markOf(route),
        machine.name,
        route?.address ?? "",
        timeOf(route),
        port ? outcomeText(route) : "no address known",
      ];
    });
  return rows.length === 0 ? [] : ["Paired machines", ...aligned(rows)];
}

/** The routes from paired machines, tested by their agents. */
function fromElsewhere({ machines, reachability }: Examination): string[] {
  const nameOf = (id: string) => machines.find((machine) => machine.id === id)?.name ?? id;
  const rows = reachability.routes
    .filter(({ from }) => from !== THIS_MACHINE)
    .map((route): Row => {
      const what = route.taskId ?? `agent of ${nameOf(route.to)}`;
      return [markOf(route), nameOf(route.from), what, route.address, timeOf(route), outcomeText(route)];
    });
  return rows.length === 0 ? [] : ["From paired machines", ...aligned(rows)];
}

function markOf(route: Route | undefined): Mark {
  if (route?.outcome === "ok") return "✓";
  return route?.outcome === "failed" ? "✗" : "!";
}

function timeOf(route: Route | undefined): string {
  return route?.roundTripMillis === undefined ? "" : durationText(route.roundTripMillis);
}

/** The first layer that failed; otherwise the detail of the last one, which is a device ID for an agent. */
function outcomeText(route: Route | undefined): string {
  if (!route) return "not tested";
  const failure = route.layers.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed");
  if (failure) return `${layerNames[failure.layer]}: ${failure.detail ?? "failed"}`;
  if (route.outcome !== "ok") return route.problem?.message ?? "not tested";
  const last = route.layers.at(-1);
  return last?.layer === "status" ? (last.detail ?? "answers") : "answers";
}

const layerNames: Readonly<Record<Route["layers"][number]["layer"], string>> = {
  name: "name",
  ping: "ping",
  tcp: "TCP",
  tls: "TLS",
  http2: "HTTP/2",
  status: "GetStatus",
};

function findings({ reachability: { diagnoses } }: Examination): string[] {
  const counts = (["error", "warning"] as const).map((severity) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.severity === severity).length;
    return `${count === 0 ? "no" : count} ${severity}${count === 1 ? "" : "s"}`;
  });
  const lines = [`Found ${counts.join(" and ")}.`];
  for (const { id, severity, problem } of diagnoses) {
    lines.push("", ...wrapped(`  ${marks[severity]} `, problem.message));
    if (problem.reason) lines.push(...wrapped("    Why: ", problem.reason));
    if (problem.remedy) lines.push(...wrapped("    Do:  ", problem.remedy));
    lines.push(`    [${id}]`);
  }
  return lines;
}

/** A paragraph whose further lines are indented to the first one's text. */
function wrapped(head: string, text: string): string[] {
  const lines: string[] = [];
  let line = head;
  for (const word of text.split(/\s+/)) {
    if (line.length + 1 + word.length > WIDTH && line.trim() !== head.trim()) {
      lines.push(line.trimEnd());
      line = " ".repeat(head.length);
    }
    line += line.length === head.length ? word : ` ${word}`;
  }
  return [...lines, line];
}
