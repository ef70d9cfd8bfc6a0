import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Installation } from "../net/support/installation.js";
import { Network } from "../net/support/network.js";
import { type Measurement, median, type Row } from "./report.js";

const ROUNDS = 3;
const IDLE_MILLIS = 20_000;
const SETTLE_MILLIS = 8_000;
/** The kernel counts processor time in these (sysconf _SC_CLK_TCK, 100 on every Linux of ours). */
const TICKS_PER_SECOND = 100;

/** Milliseconds of processor time that a process has used. */
function processorMillis(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MB. */
function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1000;
}

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** Between two machines: how soon one appears, how soon it is seen gone, and what a paired one costs while nothing runs. */
export const machinesMeasurement: Measurement = {
  name: "machines that come and go",
  run: async () => {
    const network = await Network.create(2, { names: ["near", "far"] });
    try {
      const near = await Installation.start(network.host("near"));
      let far = await Installation.start(network.host("far"));
      await near.pairWith(far);
      const farId = await far.id();
      // No window of its own is open there, as on a machine without a screen.
      far.api.close();
      await wait(SETTLE_MILLIS);
      const { pid } = far.process;
      const before = processorMillis(pid);
      await wait(IDLE_MILLIS);
      const idlePercent = ((processorMillis(pid) - before) / IDLE_MILLIS) * 100;
      const megabytes = residentMegabytes(pid);

      const gone: number[] = [];
      const back: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const pulled = performance.now();
        await far.host.setCable(false);
        await near.machine(farId, ({ presence }) => presence === "offline");
        gone.push(performance.now() - pulled);
        await far.stop({ signal: "SIGKILL", keep: true });
        await far.host.setCable(true);
        const started = performance.now();
        far = await Installation.start(network.host("far"), {}, far.folder);
        await near.machine(farId, ({ presence }) => presence === "online");
        back.push(performance.now() - started);
      }
      await Promise.all([near.stop(), far.stop()]);
      const row = (what: string, unit: string, ours: number, note: string): Row => ({
        ...{ what, unit, ours, note },
        theirs: undefined,
      });
      return [
        row("machine appears, from the start of its process", "s", median(back) / 1000, "goal 1.5"),
        row("machine seen gone, its cable pulled", "s", median(gone) / 1000, "goal 10"),
        row("idle installation, watched by another: processor", "%", idlePercent, "goal 1"),
        row("idle installation, watched by another: memory", "MB", megabytes, "goal 100"),
      ];
    } finally {
      await network.dispose();
    }
  },
};
