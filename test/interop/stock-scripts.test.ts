import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { freePort, peerMissing } from "../support/peers.js";
import { runScript, startWorker } from "./worker-peers.js";

async function addresses(count: number): Promise<string[]> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  return ports.map((port) => `localhost:${port}`);
}

describe.skipIf(peerMissing("tensorflow"))("stock TensorFlow scripts on our workers", () => {
  test("S1: a graph over two tasks of a clusterspec.json gives 11.0", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-s1-"));
    try {
      const file = path.join(folder, "clusterspec.json");
      writeFileSync(file, JSON.stringify({ worker: await addresses(2) }));
      const [first] = await Promise.all(
        [0, 1].map((i) => startWorker(["--cluster", file, "--job_name=worker", `--task_index=${i}`])),
      );
      const output = await runScript("s1_two_tasks.py", [first?.target ?? ""]);
      expect(output).toContain("z = 11.0");
      expect(output).toContain("ran x /job:worker/replica:0/task:0/device:CPU:0");
      expect(output).toContain("ran z /job:worker/replica:0/task:1/device:CPU:0");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("S2: 1,000 ones are summed over two workers, with variables on two parameter servers", async () => {
    const [ps0 = "", ps1 = "", worker0 = "", worker1 = ""] = await addresses(4);
    const flags = [`--ps_hosts=${ps0},${ps1}`, `--worker_hosts=${worker0},${worker1}`];
    const tasks = [
      ["ps", 0],
      ["ps", 1],
      ["worker", 0],
      ["worker", 1],
    ] as const;
    const servers = await Promise.all(
      tasks.map(([job, index]) => startWorker([...flags, `--job_name=${job}`, `--task_index=${index}`])),
    );
    const output = await runScript("s2_reduce_sum.py", [
      `grpc://${worker0}`,
      `${ps0},${ps1}`,
      `${worker0},${worker1}`,
    ]);
    expect(output).toContain("sum = 1000");
    expect(output).toContain("variable on /job:ps/task:0");
    expect(output).toContain("/job:worker/replica:0/task:1/device:CPU:0");
    // Each worker printed the portion that it summed.
    for (const worker of servers.slice(2)) {
      await worker.waitForOutput(/portion is \[500\]/);
    }
  });

  test("S4: a variable is shared by its name between the sessions of two servers", async () => {
    const [first = "", second = ""] = await addresses(2);
    const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-s4-"));
    try {
      const file = path.join(folder, "clusterspec.json");
      writeFileSync(file, JSON.stringify({ cluster: { local: [first, second] } }));
      await Promise.all(
        [0, 1].map((i) => startWorker([`--cluster=${file}`, "--job_name=local", `--task_index=${i}`])),
      );
      const output = await runScript("s4_sharing.py", [`grpc://${first}`, `grpc://${second}`]);
      expect(output).toContain("both read 1.0 1.0");
      expect(output).toContain("var from second: ['0'] received by ['1']");
      expect(output).toContain("var2 from first: ['1'] received by ['0']");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
