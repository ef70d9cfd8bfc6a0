/** How busy the GPUs of makers other than NVIDIA are, as their system reports it. */
import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import type { Adapter } from "../../worker-runtime/engines/portable/gpu/adapter.js";

/** The usage of one GPU. Values that the system does not report are absent. */
export interface GpuUsage {
  /** Recent utilization, in percent. */
  readonly busyPercent?: number;
  readonly usedBytes?: number;
}

/** Reads the usage of a GPU: where the system does not tell which it is, that of the vendor's busiest. Never rejects. */
export type GpuUsageReader = (
  gpu: Pick<Adapter, "vendor" | "luid" | "kind">,
  signal: AbortSignal,
) => Promise<GpuUsage>;

/** From ioreg's `"PerformanceStatistics" = {"In use system memory"=1,"Device Utilization %"=2,…}`. */
export function parseIoreg(text: string): GpuUsage {
  const usages = [...text.matchAll(/"PerformanceStatistics" = \{([^}]*)\}/g)].map(([, statistics = ""]) => {
    const value = (name: string) => {
      const found = new RegExp(`"${name}"=(\\d+)`).exec(statistics)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    return usageOf(value("Device Utilization %"), value("In use system memory"));
  });
  return busiest(usages);
}

function usageOf(busyPercent: number | undefined, usedBytes: number | undefined): GpuUsage {
  return {
    ...(busyPercent === undefined ? {} : { busyPercent }),
    ...(usedBytes === undefined ? {} : { usedBytes }),
  };
}

function busiest(usages: readonly GpuUsage[]): GpuUsage {
  return usages.toSorted((one, other) => (other.busyPercent ?? -1) - (one.busyPercent ?? -1))[0] ?? {};
}

/** The time that a process's client has used a GPU's engines, by engine. */
interface ClientTimes {
  /** Identifies the client of the driver: several descriptors may show the same. */
  readonly client: string;
  /** Busy time of each engine, in the unit of `totals`, or in nanoseconds if there is none. */
  readonly busy: ReadonlyMap<string, number>;
  /** The engine's clock, which the driver xe reports in cycles. */
  readonly totals: ReadonlyMap<string, number>;
}

/** Intel's drivers report each client's times in the file descriptors of its process, amdgpu the whole device's load. */
export class LinuxGpuUsage {
  readonly #root: string;
  readonly #nanos: () => number;
  #previous: { readonly nanos: number; readonly clients: ReadonlyMap<string, ClientTimes> } | undefined;

  /**
   * @param root the file system's.
   * @param nanos a clock.
   */
  constructor(root = "/", nanos: () => number = () => Number(process.hrtime.bigint())) {
    this.#root = root;
    this.#nanos = nanos;
  }

  async read(vendor: number): Promise<GpuUsage> {
    const devices = await this.#devices(vendor);
    const usages = await Promise.all(
      devices.map(async (device) => {
        const [busy, used] = await Promise.all(
          ["gpu_busy_percent", "mem_info_vram_used"].map((name) => numberIn(path.join(device, name))),
        );
        return usageOf(busy, used);
      }),
    );
    const usage = busiest(usages);
    if (usage.busyPercent !== undefined || devices.length === 0) {
      return usage;
    }
    const busy = await this.#busyByClients();
    return busy === undefined ? usage : { ...usage, busyPercent: busy };
  }

  /** The folders of a vendor's cards. */
  async #devices(vendor: number): Promise<string[]> {
    const drm = path.join(this.#root, "sys", "class", "drm");
    const cards = (await list(drm)).filter((name) => /^card\d+$/.test(name));
    const folders = cards.map((card) => path.join(drm, card, "device"));
    const vendors = await Promise.all(folders.map((folder) => text(path.join(folder, "vendor"))));
    return folders.filter((_, i) => Number(vendors[i]?.trim() || Number.NaN) === vendor);
  }

  /** The share of the time since the last call that the busiest engine has worked; undefined at first. */
  async #busyByClients(): Promise<number | undefined> {
    const nanos = this.#nanos();
    const clients = await this.#clients();
    const previous = this.#previous;
    this.#previous = { nanos, clients };
    if (previous === undefined || nanos <= previous.nanos) {
      return undefined;
    }
    const shares = new Map<string, number>();
    for (const [key, { busy, totals }] of clients) {
      const before = previous.clients.get(key);
      for (const [engine, time] of busy) {
        const total = totals.get(engine);
        const span =
          total === undefined ? nanos - previous.nanos : total - (before?.totals.get(engine) ?? Number.NaN);
        const share = (time - (before?.busy.get(engine) ?? time)) / span;
        shares.set(engine, (shares.get(engine) ?? 0) + (share > 0 ? share : 0));
      }
    }
    return shares.size === 0 ? 0 : Math.min(100, Math.round(100 * Math.max(...shares.values())));
  }

  /** The clients of all processes that this user may look into. */
  async #clients(): Promise<ReadonlyMap<string, ClientTimes>> {
    const proc = path.join(this.#root, "proc");
    const found = new Map<string, ClientTimes>();
    for (const pid of (await list(proc)).filter((name) => /^\d+$/.test(name))) {
      const folder = path.join(proc, pid, "fdinfo");
      for (const descriptor of await this.#cardDescriptors(path.join(proc, pid, "fd"))) {
        const times = parseFdinfo(await text(path.join(folder, descriptor)));
        if (times !== undefined) {
          found.set(times.client, times);
        }
      }
    }
    return found;
  }

  /** Those of a process that refer to a GPU: others are not read. */
  async #cardDescriptors(folder: string): Promise<string[]> {
    const descriptors = await list(folder);
    const targets = await Promise.all(
      descriptors.map((name) => readlink(path.join(folder, name)).catch(() => "")),
    );
    return descriptors.filter((_, i) => targets[i]?.startsWith("/dev/dri/"));
  }
}

/** The lines "drm-…: value" of a GPU's file descriptor; undefined for one of another driver. */
export function parseFdinfo(fdinfo: string): ClientTimes | undefined {
  const fields = new Map(
    [...fdinfo.matchAll(/^(drm-[\w-]+):\s*(.*?)\s*$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const driver = fields.get("drm-driver");
  const client = fields.get("drm-client-id");
  if ((driver !== "i915" && driver !== "xe") || client === undefined) {
    return undefined;
  }
  const times = (prefix: string) =>
    new Map(
      [...fields].flatMap(([name, value]): [string, number][] => {
        const engine = name.startsWith(prefix) ? name.slice(prefix.length) : "";
        return engine === "" || engine.startsWith("capacity-") ? [] : [[engine, Number.parseFloat(value)]];
      }),
    );
  const device = fields.get("drm-pdev") ?? "";
  return driver === "i915"
    ? { client: `${device} ${client}`, busy: times("drm-engine-"), totals: new Map() }
    : { client: `${device} ${client}`, busy: times("drm-cycles-"), totals: times("drm-total-cycles-") };
}

function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function text(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

async function numberIn(file: string): Promise<number | undefined> {
  const content = (await text(file)).trim();
  return /^\d+$/.test(content) ? Number(content) : undefined;
}
