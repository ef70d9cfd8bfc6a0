import type { Machine, Task } from "../../main/api/cluster.js";
import type { MachineSample } from "../../main/api/samples.js";
import { bytesText, countText, listText } from "../ui/format.js";
import { taskName } from "./task-name.js";

export interface Health {
  readonly dot: "ok" | "warning" | "error" | "off";
  readonly text: string;
}

/** The state of a cluster in one dot and a few words. */
export function clusterHealth(tasks: readonly Task[]): Health {
  if (tasks.length === 0) return { dot: "off", text: "No tasks" };
  const of = (...states: Task["state"][]) => tasks.filter(({ state }) => states.includes(state));
  const failed = of("failed", "unresponsive");
  const running = of("running");
  const count = `${running.length}/${tasks.length} tasks`;
  if (failed.length > 0) {
    const verb = failed.every(({ state }) => state === "failed") ? "failed" : "not answering";
    return { dot: "error", text: `${listText(failed.slice(0, 3).map(taskName))} ${verb}, ${count}` };
  }
  if (of("starting").length > 0) return { dot: "warning", text: `Cluster starting, ${count}` };
  if (running.length === 0) return { dot: "off", text: `Cluster stopped, ${count}` };
  if (running.length < tasks.length) return { dot: "warning", text: `Cluster ok, ${count}` };
  return { dot: "ok", text: `Cluster ok, ${count}` };
}

/** Paired machines that do not respond: "raspberrypi offline", "3 machines offline"; undefined if all do. */
export function offlineText(machines: readonly Machine[]): string | undefined {
  const offline = machines.filter(({ kind, presence }) => kind === "paired" && presence === "offline");
  if (offline.length === 0) return undefined;
  return offline.length === 1
    ? `${offline[0]?.name} offline`
    : `${countText(offline.length, "machine")} offline`;
}

/**
 * What the machines send together now, "38 MB/s sent"; undefined until two of them were measured. It is the traffic of
 * whole machines: their own programs' as well as the cluster's.
 *
 * @param machines The samples of each that is measured, newest last.
 */
export function trafficText(
  machines: ReadonlyMap<string, readonly Pick<MachineSample, "sentBytesPerSecond">[]>,
): string | undefined {
  const sent = [...machines.values()].flatMap((samples) => samples.at(-1)?.sentBytesPerSecond ?? []);
  if (sent.length < 2) return undefined;
  return `${bytesText(sent.reduce((sum, rate) => sum + rate, 0))}/s sent`;
}
