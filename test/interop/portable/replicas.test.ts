/**
 * Programs of two client processes that work together (scripts/replicas.py): synchronous training, hooks, queues that one
 * fills and the other empties, checkpoints of what the other trains. They end and give what they give on stock servers.
 */
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  peerMissing,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../../support/peers.js";
import { type Engine, startCluster } from "./clusters.js";

const programs = [
  "sync_replicas",
  "sync_replicas_with_a_backup",
  "hooks",
  "queue_runners",
  "savers",
] as const;

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "replicas.py");
const jobs = { ps: 2, worker: 2 };

/** The programs end every wait of theirs after a minute; on a busy machine all of them take several. */
const RUNS_MILLIS = 600_000;

/** The programs' results for each client; fails with all output if one does not end well. */
async function runOn(engineOf: (task: string) => Engine): Promise<readonly unknown[]> {
  const cluster = await startCluster(jobs, engineOf);
  try {
    const args = [script, JSON.stringify(cluster.addresses), cluster.folder];
    const clients = await Promise.all(
      ["0", "1"].map((index) =>
        spawnPeer(tensorflowPython(), [...args, index, ...programs], { env: environmentWithoutProxies() }),
      ),
    );
    return await Promise.all(
      clients.map(async (client) => {
        const { code } = await client.exited;
        expect(code, client.output().slice(-6_000)).toBe(0);
        return JSON.parse(client.stdout().trim().split("\n").at(-1) ?? "") as unknown;
      }),
    );
  } finally {
    await cluster.stop();
  }
}

describe.skipIf(peerMissing("tensorflow"))("programs of several clients", () => {
  let expected: readonly unknown[];

  beforeAll(async () => {
    expected = await runOn(() => "stock");
    expect(expected.map((results) => Object.keys(results as object))).toEqual([programs, programs]);
  }, RUNS_MILLIS);

  test.each([
    ["our servers alone", () => "portable"],
    ["stock workers with our parameter servers", (task) => (task.startsWith("ps") ? "portable" : "stock")],
  ] as const satisfies readonly (readonly [string, (task: string) => Engine])[])(
    "give on %s what they give on stock ones",
    async (_, engineOf) => {
      expect(await runOn(engineOf)).toEqual(expected);
    },
    RUNS_MILLIS,
  );
});
