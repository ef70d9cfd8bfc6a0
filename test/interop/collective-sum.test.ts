/** The gallery's collective operation on servers of a fixed cluster, whose clients name no leader. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { collectiveSumGraph } from "../../worker-runtime/graph/examples/all-reduce.js";
import { Session } from "../../worker-runtime/session/session.js";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { linesOfScript } from "./peers/lines-of-script.js";
import { freeCluster } from "./peers/stock-servers.js";
import { startWorker } from "./worker-peers.js";

type Kind = "stock" | "portable" | "tensorflow";

const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-collective-"));
const stockWorker = path.join(repositoryRoot, "worker-runtime", "examples", "generic-worker.py");

const WORKERS: readonly { readonly name: string; readonly kinds: readonly Kind[] }[] = [
  { name: "the portable engine", kinds: ["portable", "portable", "portable"] },
  { name: "engine tensorflow", kinds: ["tensorflow", "tensorflow", "tensorflow"] },
  { name: "both engines", kinds: ["portable", "tensorflow", "portable"] },
  { name: "a stock leader and both engines", kinds: ["stock", "portable", "tensorflow"] },
  { name: "our leader of stock servers", kinds: ["tensorflow", "stock", "stock"] },
];
const isPortable = ({ kinds }: (typeof WORKERS)[number]) => kinds.every((kind) => kind === "portable");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(WORKERS.filter(isPortable))("a collective sum of three workers on $name", expectSum);

test.skipIf(peerMissing("tensorflow")).each(WORKERS.filter((workers) => !isPortable(workers)))(
  "a collective sum of three workers on $name",
  expectSum,
);

async function expectSum({ kinds }: (typeof WORKERS)[number]): Promise<void> {
  const cluster = await freeCluster({ ps: 1, worker: 3 });
  const file = path.join(folder, `${kinds.join("-")}.json`);
  writeFileSync(file, JSON.stringify(cluster));
  const stop = new AbortController();
  const ended: Promise<unknown>[] = [];
  const ours: Awaited<ReturnType<typeof startWorker>>[] = [];
  const start = async (kind: Kind, job: string, index: number) => {
    if (kind !== "stock") {
      const flags = ["--engine", kind, `--cluster=${file}`, `--job_name=${job}`, `--task_index=${index}`];
      ours.push(await startWorker(flags));
      return;
    }
    const env = { TF_CONFIG: JSON.stringify({ cluster, task: { type: job, index } }) };
    await new Promise<void>((resolve) => {
      const onLine = (line: string) => line.startsWith("target ") && resolve();
      ended.push(linesOfScript(stockWorker, { env, signal: stop.signal, onLine }).finally(resolve));
    });
  };
  try {
    await Promise.all([start("portable", "ps", 0), ...kinds.map((kind, at) => start(kind, "worker", at))]);
    const { graphDef: graph } = collectiveSumGraph();
    const session = new Session(`grpc://${cluster.worker?.[0]}`, { graph });
    for (let step = 0; step < 3; step += 1) {
      const { values } = await session.run(["sum_0:0", "sum_1:0", "sum_2:0"]);
      const expected = Array.from({ length: 90 }, (_element, at) => 111 * (at + 1));
      expect(values.map((value) => value.toArray())).toEqual([expected, expected, expected]);
    }
    await session.close();
  } finally {
    stop.abort();
    await Promise.all([...ours.map((worker) => worker.stop()), ...ended]);
  }
}
