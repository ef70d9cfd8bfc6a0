import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readClusterFile } from "../../../worker-runtime/cli/cluster-file.js";
import { wantsPortable } from "../../../worker-runtime/cli/portable-options.js";
import { readWorkerOptions } from "../../../worker-runtime/cli/worker-options.js";

const TF_CONFIG = JSON.stringify({
  cluster: { chief: ["localhost:2222"] },
  task: { type: "evaluator", index: 0 },
});

describe("the task of a worker", () => {
  test("an evaluator has no server in the cluster", async () => {
    await expect(readWorkerOptions([], { TF_CONFIG })).rejects.toThrow("is not part of the cluster");
    const { serverDef } = await readWorkerOptions(["--job_name=chief", "--task_index=0"], { TF_CONFIG });
    expect(serverDef.jobName).toBe("chief");
  });

  test("a task without a cluster is no local server, unless flags say so", async () => {
    const env = { TF_CONFIG: '{"task": {"type": "worker", "index": 1}}' };
    await expect(readWorkerOptions([], env)).rejects.toThrow(
      "TF_CONFIG says that this is task 1 of job 'worker', but has no \"cluster\"",
    );
    for (const [args, given] of [
      [["--job_name=worker"], env],
      [[], { TF_CONFIG: "{}" }],
    ] as const) {
      const { serverDef } = await readWorkerOptions([...args], given);
      expect(serverDef.cluster?.job).toHaveLength(1);
    }
  });

  test("the servers of a cluster can run collective operations, led by its first worker", async () => {
    const flags = ["--ps_hosts=a:1", "--worker_hosts=b:1,c:1", "--job_name=worker", "--task_index=1"];
    const { serverDef } = await readWorkerOptions(flags, {});
    const leader = "/job:worker/replica:0/task:0";
    expect(serverDef.defaultSessionConfig?.experimental?.collectiveGroupLeader).toBe(leader);
    expect((await readWorkerOptions([], {})).serverDef.defaultSessionConfig).toBeUndefined();
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
      await writeFile(file, Buffer.from('\ufeff{"worker": ["h:3"]}\r\n', "utf16le"));
      expect((await readClusterFile(file)).asDict()).toEqual({ worker: ["h:3"] });
      await expect(readClusterFile(join(folder, "none.json"))).rejects.toThrow("The file given by --cluster");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the engine of a worker", () => {
  test("is left open unless it is named", async () => {
    expect((await readWorkerOptions([], {})).engine).toBeUndefined();
    expect((await readWorkerOptions(["--engine=portable"], {})).engine).toBe("portable");
    await expect(readWorkerOptions(["--engine=torch"], {})).rejects.toThrow("--engine must be one of");
  });

  test("the portable one has flags of its own", async () => {
    const none = (await readWorkerOptions([], {})).portable;
    expect(none).toEqual({
      bind: undefined,
      files: [],
      maxMessageBytes: undefined,
      maxTensorBytes: undefined,
      maxResidentBytes: undefined,
      maxGraphNodes: undefined,
      sessionIdleMillis: undefined,
      tls: undefined,
    });
    expect(wantsPortable(none)).toBe(false);
    const { portable } = await readWorkerOptions(
      [
        "--bind=10.0.0.1",
        "--files=/a,/b",
        "--files=/c",
        "--max_message_mb=64",
        "--max_tensor_mb=100",
        "--max_resident_mb=300",
        "--max_graph_nodes=5000",
        "--session_gc_seconds=60",
        "--tls_cert=c.pem",
        "--tls_key=k.pem",
        "--tls_peers=p.pem",
      ],
      {},
    );
    expect(portable).toEqual({
      bind: "10.0.0.1",
      files: ["/a", "/b", "/c"],
      maxMessageBytes: 64 * 2 ** 20,
      maxTensorBytes: 100 * 2 ** 20,
      maxResidentBytes: 300 * 2 ** 20,
      maxGraphNodes: 5000,
      sessionIdleMillis: 60_000,
      tls: { cert: "c.pem", key: "k.pem", peers: "p.pem" },
    });
    expect(wantsPortable(portable)).toBe(true);
    await expect(readWorkerOptions(["--tls_cert=c.pem"], {})).rejects.toThrow("must be given together");
    await expect(readWorkerOptions(["--max_message_mb=4096"], {})).rejects.toThrow("from 1 to 2047");
  });
});
