import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  freePort,
  peerMissing,
  spawnPeer,
  tensorflowPython,
} from "../support/peers.js";
import { runScript, scripts, startWorker } from "./worker-peers.js";

describe.skipIf(peerMissing("tensorflow"))("a cluster of one of our workers and one stock server", () => {
  test.each([0, 1])("gives 11.0 with our worker as task %i, whichever is the master", async (ours) => {
    const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-mixed-"));
    try {
      const hosts = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
      const file = path.join(folder, "clusterspec.json");
      writeFileSync(file, JSON.stringify({ worker: hosts }));
      await Promise.all([
        startWorker([`--cluster=${file}`, "--job_name=worker", `--task_index=${ours}`]),
        spawnPeer(tensorflowPython(), [path.join(scripts, "s1_serve.py"), file, String(1 - ours)], {
          ready: /^target grpc:\/\/\S+$/m,
          env: environmentWithoutProxies(),
        }),
      ]);
      for (const master of hosts) {
        expect(await runScript("s1_two_tasks.py", [`grpc://${master}`])).toContain("z = 11.0");
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
