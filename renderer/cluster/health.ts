import type { Machine, Task } from "../../main/api/cluster.js";
import type { MachineSample } from "../../main/api/samples.js";
import { texts } from "../texts/texts.js";
import { bytesText, listText } from "../ui/format.js";
import { taskName } from "./task-name.js";

const words = texts.cluster.health;

export interface Health {
  readonly dot: "ok" | "warning" | "error" | "off";
  readonly text: string;
}

/** The state of a cluster in one dot and a few words. */
export function clusterHealth(tasks: readonly Task[]): Health {
  if (tasks.length === 0) return { dot: "off", text: words.noTasks };
  const of = (...states: Task["state"][]) => tasks.filter(({ state }) => states.includes(state));
  const failed = of("failed", "unresponsive");
  const running = of("running");
  const counts = { running: running.length, tasks: tasks.length };
  if (failed.length > 0) {
    const text = failed.every(({ state }) => state === "failed") ? words.failed : words.notAnswering;
    return { dot: "error", text: text({ names: listText(failed.slice(0, 3).map(taskName)), ...counts }) };
  }
  if (of("starting").length > 0) return { dot: "warning", text: words.starting(counts) };
  if (running.length === 0) return { dot: "off", text: words.stopped(counts) };
  if (running.length < tasks.length) return { dot: "warning", text: words.ok(counts) };
  return { dot: "ok", text: words.ok(counts) };
}

/** Paired machines that do not respond: "raspberrypi offline", "3 machines offline"; undefined if all do. */
export function offlineText(machines: readonly Machine[]): string | undefined {
  const offline = machines.filter(({ kind, presence }) => kind === "paired" && presence === "offline");
  const [first, ...others] = offline;
  if (first === undefined) return undefined;
  return others.length === 0
    ? words.machineOffline({ name: first.name })
    : words.machinesOffline({ count: offline.length });
}

/**
 * The traffic of all machines now, "38 MB/s sent"; undefined until two of them were measured. It is the traffic of
 * whole machines: their own programs' as well as the cluster's.
 *
 * @param machines The samples of each that is measured, newest last.
 */
export function trafficText(
  machines: ReadonlyMap<string, readonly Pick<MachineSample, "sentBytesPerSecond">[]>,
): string | undefined {
  const sent = [...machines.values()].flatMap((samples) => samples.at(-1)?.sentBytesPerSecond ?? []);
  if (sent.length < 2) return undefined;
  return words.traffic({ rate: bytesText(sent.reduce((sum, rate) => sum + rate, 0)) });
}
