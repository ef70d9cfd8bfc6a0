import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readClusterFile } from "../../../worker-runtime/cli/cluster-file.js";
import { readWorkerOptions } from "../../../worker-runtime/cli/worker-options.js";

const TF_CONFIG = JSON.stringify({
  cluster: { chief: ["localhost:2222"] },
  task: { type: "evaluator", index: 0 },
});

describe("the task of a worker", () => {
  test("an evaluator has no server in the cluster", async () => {
    await expect(readWorkerOptions([], { TF_CONFIG })).rejects.toThrow("runs beside the cluster");
    const { serverDef } = await readWorkerOptions(["--job_name=chief", "--task_index=0"], { TF_CONFIG });
    expect(serverDef.jobName).toBe("chief");
  });

  test("an empty ServerDef is no definition of a server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-"));
    try {
      const file = join(folder, "empty.pb");
      await writeFile(file, "");
      await expect(readWorkerOptions(["--server_def", file], {})).rejects.toThrow("is empty");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("a cluster file may have TF_CONFIG's form, and a job may be called cluster", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-"));
    try {
      const file = join(folder, "cluster.json");
      await writeFile(file, '{"cluster": {"worker": {"1": "h:1"}}}');
      expect((await readClusterFile(file)).asDict()).toEqual({ worker: { 1: "h:1" } });
      await writeFile(file, '{"cluster": {"0": "h:1"}}');
      expect((await readClusterFile(file)).jobs).toEqual(["cluster"]);
      await expect(readClusterFile(join(folder, "none.json"))).rejects.toThrow(
        "The file that --cluster names",
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
