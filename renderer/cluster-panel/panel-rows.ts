/** The cluster panel as a list of rows, of which only the visible ones are rendered. */
import type { Machine, Task } from "../../main/api/cluster.js";
import type { MachineKind } from "../../main/api/machines.js";
import type { Problem } from "../../main/api/problem.js";
import type { Route } from "../../main/api/reachability.js";
import { takesTasks } from "../cluster/machines.js";
import { texts } from "../texts/texts.js";

const words = texts.clusterPanel.panelRows;

interface Row {
  /** Unique in the panel, and stable while the row shows the same thing. */
  readonly key: string;
  readonly machine: Machine;
  /** The last row of its machine. */
  readonly last: boolean;
}

export type PanelRow = Row &
  /** `mark` distinguishes it from another machine with the same name; absent if there is none. */
  (
    | { readonly kind: "machine"; readonly mark: string | undefined }
    | { readonly kind: "task"; readonly task: Task }
    | { readonly kind: "add" }
    /** The problem of the machine as a whole. */
    | { readonly kind: "problem"; readonly problem: Problem }
    /** Something that the machine cannot reach. */
    | { readonly kind: "blocked"; readonly route: Route; readonly problem: Problem }
  );

const ORDER: Readonly<Record<MachineKind, number>> = { this: 0, paired: 1, foreign: 2, discovered: 3 };

/**
 * This machine first, then paired, foreign and merely discovered ones; within a kind as the application lists them. A
 * machine that goes offline keeps its place, so that nothing jumps under the pointer.
 */
export function panelRows(machines: readonly Machine[], blocked: readonly Route[]): readonly PanelRow[] {
  const known = new Map(machines.map((machine) => [machine.id, machine]));
  const names = new Map<string, number>();
  for (const { name } of machines) names.set(name, (names.get(name) ?? 0) + 1);
  return machines
    .toSorted((one, other) => ORDER[one.kind] - ORDER[other.kind])
    .flatMap((machine) => {
      const mark = (names.get(machine.name) ?? 0) > 1 ? machine.id.slice(0, MARK_LENGTH) : undefined;
      return rowsOf(machine, mark?.toUpperCase(), blocked, known);
    });
}

/** The first group of a fingerprint. */
const MARK_LENGTH = 4;

function rowsOf(
  machine: Machine,
  mark: string | undefined,
  blocked: readonly Route[],
  known: ReadonlyMap<string, Machine>,
): readonly PanelRow[] {
  const base = { machine, last: false };
  const rows: PanelRow[] = [{ ...base, kind: "machine", key: `machine ${machine.id}`, mark }];
  if (machine.problem)
    rows.push({ ...base, kind: "problem", key: `problem ${machine.id}`, problem: machine.problem });
  for (const task of machine.tasks) rows.push({ ...base, kind: "task", key: `task ${task.id}`, task });
  if (takesTasks(machine)) rows.push({ ...base, kind: "add", key: `add ${machine.id}` });
  for (const route of blocked) {
    if (route.from !== machine.id || isSaidByMachine(route, known.get(route.to))) continue;
    const key = `blocked ${route.from} ${route.to} ${route.address}`;
    rows.push({ ...base, kind: "blocked", key, route, problem: blockedProblem(route, known) });
  }
  const end = rows.at(-1);
  if (end) rows[rows.length - 1] = { ...end, last: true };
  return rows;
}

/** A machine that does not answer says so itself, unless the test found more: a firewall that can be fixed. */
function isSaidByMachine({ firewallOf }: Route, to: Machine | undefined): boolean {
  return firewallOf === undefined && to?.presence === "offline" && to.problem !== undefined;
}

/** The application's own message, if any; otherwise that the address cannot be reached. */
export function blockedProblem(route: Route, machines: ReadonlyMap<string, Machine>): Problem {
  if (route.problem) return route.problem;
  const nameOf = (id: string) => machines.get(id)?.name ?? id;
  const failed = route.layers.find(({ outcome }) => outcome === "failed");
  return {
    code: "UNAVAILABLE",
    message: words.cannotReach({ name: nameOf(route.from), address: route.address }),
    reason:
      route.firewallOf === undefined
        ? failed?.detail
        : words.firewallBlocks({ name: nameOf(route.firewallOf) }),
  };
}
