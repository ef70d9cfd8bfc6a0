/** How busy this machine is, from counters that the system keeps. */
import { readFile } from "node:fs/promises";
import { cpus, freemem, totalmem } from "node:os";
import { type InterfaceTraffic, readInterfaces } from "../../worker-runtime/windows/interfaces.js";
import type { MachineSample } from "../api/samples.js";
import { log } from "../shared/log/log.js";
import { messageOf } from "../shared/problems.js";
import { isInnerInterface } from "./addresses.js";

/** The kernel shows times to programs in hundredths of a second on every architecture that Node runs on. */
const TICK_MILLIS = 10;

/** The counters at one moment; activity is the difference between two readings. */
export interface MachineReading {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of all cores together. */
  readonly busyMillis: number;
  readonly totalMillis: number;
  readonly memoryUsedBytes: number;
  /** Since the system started; absent if the system does not tell, or would require starting a program. */
  readonly network?: NetworkBytes;
}

export interface NetworkBytes {
  readonly received: number;
  readonly sent: number;
}

/**
 * Reads the counters. On Linux these are three small files, on Windows functions of its libraries; no program is started on
 * any system.
 */
export async function readMachine(now = Date.now()): Promise<MachineReading> {
  const [processors, memoryUsedBytes, network] = await Promise.all([
    processorTimes(),
    memoryUsed(),
    networkBytes(),
  ]);
  return { at: now, ...processors, memoryUsedBytes, ...(network && { network }) };
}

type ProcessorTimes = Pick<MachineReading, "busyMillis" | "totalMillis">;

async function processorTimes(): Promise<ProcessorTimes> {
  // Node's own function also opens a file for each core to read its clock.
  const stat = process.platform === "linux" ? await readFile("/proc/stat", "utf8").catch(() => "") : "";
  return parseProcStat(stat) ?? timesOfCores();
}

function timesOfCores(): ProcessorTimes {
  let busyMillis = 0;
  let totalMillis = 0;
  for (const { times } of cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    busyMillis += busy;
    totalMillis += busy + times.idle;
  }
  return { busyMillis, totalMillis };
}

/** From the first line of /proc/stat, of all cores together: user, nice, system, idle, iowait, irq, softirq, steal. */
export function parseProcStat(text: string): ProcessorTimes | undefined {
  const ticks = /^cpu +([\d ]+)$/m.exec(text)?.[1]?.trim().split(/ +/).map(Number);
  if (!ticks || ticks.length < 4) return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = ticks;
  const busy = user + nice + system + irq + softIrq + stolen;
  return { busyMillis: busy * TICK_MILLIS, totalMillis: (busy + idle + waiting) * TICK_MILLIS };
}

/**
 * The activity between two readings. Network traffic is 0 on macOS, where reading it would require starting a
 * program for each sample, and where it could not be read.
 */
export function metricsBetween(before: MachineReading, after: MachineReading): Omit<MachineSample, "gpus"> {
  const seconds = Math.max(1, after.at - before.at) / 1000;
  const total = after.totalMillis - before.totalMillis;
  const share = total > 0 ? ((after.busyMillis - before.busyMillis) / total) * 100 : 0;
  // Counters restart when an interface does.
  const rate = (direction: keyof NetworkBytes) =>
    Math.max(
      0,
      Math.round(((after.network?.[direction] ?? 0) - (before.network?.[direction] ?? 0)) / seconds),
    );
  return {
    at: after.at,
    cpuPercent: Math.round(Math.min(100, Math.max(0, share)) * 10) / 10,
    memoryUsedBytes: after.memoryUsedBytes,
    receivedBytesPerSecond: rate("received"),
    sentBytesPerSecond: rate("sent"),
  };
}

async function memoryUsed(): Promise<number> {
  const total = totalmem();
  if (process.platform !== "linux") return total - freemem();
  try {
    // Free memory alone would count the file cache as used, which the system gives back when asked.
    const available = availableBytes(await readFile("/proc/meminfo", "utf8"));
    return total - (available ?? freemem());
  } catch {
    return total - freemem();
  }
}

/** MemAvailable of /proc/meminfo. */
export function availableBytes(meminfo: string): number | undefined {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

async function networkBytes(): Promise<NetworkBytes | undefined> {
  try {
    switch (process.platform) {
      case "linux":
        return parseNetDev(await readFile("/proc/net/dev", "utf8"));
      case "win32":
        return await windowsTraffic();
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

let isTrafficRefused = false;

/** Where Windows does not answer, it is not asked again. */
async function windowsTraffic(): Promise<NetworkBytes | undefined> {
  if (isTrafficRefused) return undefined;
  try {
    return trafficOf(await readInterfaces());
  } catch (error) {
    isTrafficRefused = true;
    log.warning(`The traffic of this machine cannot be measured: ${messageOf(error)}`);
    return undefined;
  }
}

/** Sums the network cards of Windows, or where there is none, as in some virtual machines, all but the loopback interface. */
export function trafficOf(interfaces: readonly InterfaceTraffic[]): NetworkBytes {
  const outer = interfaces.filter(({ isLoopback }) => !isLoopback);
  const cards = outer.filter(({ isHardware }) => isHardware);
  return sumOf(cards.length > 0 ? cards : outer);
}

function sumOf(rows: readonly NetworkBytes[]): NetworkBytes {
  return {
    received: rows.reduce((sum, row) => sum + row.received, 0),
    sent: rows.reduce((sum, row) => sum + row.sent, 0),
  };
}

/**
 * Sums /proc/net/dev over the interfaces that lead out of the machine: traffic of a container also passes a real
 * interface, and would count twice.
 */
export function parseNetDev(text: string): NetworkBytes {
  const rows = text.split("\n").flatMap((line) => {
    const match = /^\s*([^:\s]+):\s*(.+)$/.exec(line);
    const fields = match?.[2]?.trim().split(/\s+/).map(Number);
    return match?.[1] === undefined || match[1] === "lo" || fields === undefined
      ? []
      : [{ name: match[1], received: fields[0] ?? 0, sent: fields[8] ?? 0 }];
  });
  const outer = rows.filter(({ name }) => !isInnerInterface(name));
  return sumOf(outer.length > 0 ? outer : rows);
}
