/** Collective operations over tasks of ours, of stock servers and of both: the same script, the same bits. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  peerMissing,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../../support/peers.js";
import { freeCluster } from "../peers/stock-servers.js";
import { startWorker } from "../worker-peers.js";
import type { Engine } from "./clusters.js";

const TIMEOUT_MILLIS = 180_000;

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "collectives.py");
const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-collectives-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Results = Record<string, string[][]>;

/** The script's output where these engines serve the tasks; the stock servers run in its process. */
async function collectivesOf(engines: readonly Engine[]): Promise<Results> {
  const cluster = await freeCluster({ worker: engines.length });
  const file = path.join(folder, `${engines.join("-")}.json`);
  writeFileSync(file, JSON.stringify(cluster));
  const tasks = [...engines.entries()];
  const ours = await Promise.all(
    tasks
      .filter(([, engine]) => engine === "portable")
      .map(([index]) =>
        startWorker([
          "--engine",
          "portable",
          `--cluster=${file}`,
          "--job_name=worker",
          `--task_index=${index}`,
        ]),
      ),
  );
  try {
    const stock = tasks.filter(([, engine]) => engine === "stock").map(([index]) => index);
    const peer = await spawnPeer(
      tensorflowPython(),
      [script, JSON.stringify(cluster), JSON.stringify(stock)],
      { env: environmentWithoutProxies() },
    );
    const { code } = await peer.exited;
    if (code !== 0) {
      const logs = ours.map((worker) => worker.output().slice(-1_000));
      throw new Error([`code ${code}`, peer.output().slice(-6_000), ...logs].join("\n"));
    }
    return JSON.parse(peer.stdout().trim().split("\n").at(-1) ?? "{}") as Results;
  } finally {
    await Promise.all(ours.map((worker) => worker.stop()));
  }
}

describe.skipIf(peerMissing("tensorflow"))(
  "collectives over three tasks",
  { timeout: TIMEOUT_MILLIS },
  () => {
    let stock: Results = {};
    beforeAll(async () => {
      stock = await collectivesOf(["stock", "stock", "stock"]);
    }, TIMEOUT_MILLIS);

    test("of ours give the bits that stock servers give", async () => {
      expect(Object.keys(stock).length).toBeGreaterThan(40);
      expect(await collectivesOf(["portable", "portable", "portable"])).toEqual(stock);
    });

    test("of both kinds give them, too, with any leader", async () => {
      expect(await collectivesOf(["portable", "stock", "portable"])).toEqual(stock);
      expect(await collectivesOf(["stock", "portable", "stock"])).toEqual(stock);
    });
  },
);
