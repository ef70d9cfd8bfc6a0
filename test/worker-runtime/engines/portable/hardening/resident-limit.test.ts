import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { compiledProgram } from "../../../../../worker-runtime/engines/package-root.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../../worker-runtime/session/session.js";

const LIMIT_MIB = 1000;
/** The program itself, its heaps, and what is freed and not yet given back. */
const SLACK_MIB = 150;

/** The most physical memory that a process has had so far. MiB. */
async function peakMib(pid: number): Promise<number> {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}

test.skipIf(process.platform !== "linux")(
  "threads that compute a growing loop's branches together keep the limit of a task",
  async () => {
    const args = ["worker", "--engine=portable", "--port=0", `--max_resident_mb=${LIMIT_MIB}`];
    const worker = spawn(process.execPath, [compiledProgram(), ...args], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [line] = await once(createInterface(worker.stdout), "line");
      const target = /grpc:\/\/\S+/.exec(String(line))?.[0];
      const graph = new Graph();
      const x = ops.placeholder(graph, "float32", [-1]);
      const twice = (value: typeof x) => ops.concat([value, value], 0);
      const [, grown] = ops.whileLoop(
        graph,
        (i) => ops.less(i, 30),
        (i, value) => [ops.add(i, 1), ops.add(twice(value), twice(value))],
        [ops.constant(graph, 0, { dtype: "int32" }), x],
      );
      if (grown === undefined) throw new Error("the loop has no second variable");
      const session = new Session(target, { graph });
      const feeds = new Map([[x, Tensor.of(new Float32Array(1024).fill(1))]]);
      const run = session.run([ops.reduceSum(grown)], { feeds });
      await expect(run).rejects.toMatchObject({ codeName: "RESOURCE_EXHAUSTED" });
      expect(await peakMib(worker.pid ?? 0)).toBeLessThan(LIMIT_MIB + SLACK_MIB);
      await session.close();
    } finally {
      worker.kill("SIGKILL");
    }
  },
);
