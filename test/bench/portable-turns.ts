/** Clusters of several kinds, measured in turns by the same Python client. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MeasuredCluster, type ServerKind, startMeasuredCluster } from "./portable-clusters.js";
import type { PortableLine } from "./portable-lines.js";
import { quantile, type RunContext } from "./report.js";

type Progress = RunContext["progress"];

/** A cluster of each kind, started when a line needs them and anew after one of them has broken. */
export class Clusters {
  readonly #kinds: readonly ServerKind[];
  readonly #workers: number;
  readonly #progress: Progress;
  readonly #folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-"));
  #running: MeasuredCluster[] = [];

  constructor(kinds: readonly ServerKind[], workers: number, progress: Progress) {
    this.#kinds = kinds;
    this.#workers = workers;
    this.#progress = progress;
  }

  /** In the order of their kinds. */
  async all(): Promise<readonly MeasuredCluster[]> {
    if (this.#running.some(({ isBroken }) => isBroken)) {
      await this.#stop();
    }
    if (this.#running.length === 0) {
      this.#progress(`starting ${this.#workers + 1} tasks on each side …`);
      for (const kind of this.#kinds) {
        this.#running.push(await startMeasuredCluster(kind, this.#workers, this.#folder));
      }
    }
    return this.#running;
  }

  async dispose(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((cluster) => cluster.stop()));
  }
}

/**
 * One number for each cluster, in the order of their kinds. If it cannot be measured, progress says why, and all are
 * undefined.
 */
export async function measureInTurns(
  { measure, what, rounds, warmUpRounds = 1, quantile: share = 0.5 }: PortableLine,
  clusters: Clusters,
  progress: Progress,
): Promise<readonly (number | undefined)[]> {
  try {
    const all = await clusters.all();
    progress(`${what}: making the graph and warming up …`);
    for (let round = 0; round < warmUpRounds; round += 1) {
      for (const cluster of all) await cluster.measure(measure);
    }
    const measured = all.map((cluster) => ({ cluster, values: [] as number[] }));
    for (let round = 0; round < rounds; round += 1) {
      // None is always the first.
      const first = round % measured.length;
      for (const { cluster, values } of [...measured.slice(first), ...measured.slice(0, first)]) {
        values.push(...(await cluster.measure(measure)));
      }
    }
    return measured.map(({ values }) => quantile(values, share));
  } catch (error) {
    progress(`${what}: failed: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
