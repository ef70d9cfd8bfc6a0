import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { makeServerDef } from "../../worker-runtime/cluster/server-def.js";
import { awaitServing } from "../../worker-runtime/engines/get-status.js";
import { portHolder } from "../../worker-runtime/engines/port-holder.js";
import { freePort, peerMissing, repositoryRoot, spawnPeer } from "../support/peers.js";
import { command, runCommand, startWorker, workerEnvironment } from "./worker-peers.js";

/** A server that says that it serves answers at once; this machine may be busy. */
const AT_ONCE_MILLIS = 10_000;

const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-worker-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe.skipIf(peerMissing("tensorflow"))("tensordeck worker", () => {
  test("without a cluster serves on a free port, and accepts calls when it says so", async () => {
    const worker = await startWorker([]);
    expect(worker.stdout()).toBe(`target ${worker.target}\n`);
    await awaitServing("127.0.0.1", Number(worker.target.split(":").at(-1)), AT_ONCE_MILLIS);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends on %s with code 0", async (signal) => {
    const worker = await startWorker([]);
    worker.child.kill(signal);
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  });

  test.skipIf(process.platform === "win32").each(["SIGTERM", "SIGKILL"] as const)(
    "started by npx, ends when npx gets %s",
    async (signal) => {
      const worker = await spawnPeer("npx", ["tensordeck", "worker"], {
        ready: /^target grpc:\/\/localhost:(\d+)$/m,
        env: workerEnvironment({ npm_config_cache: path.join(folder, "npm") }),
        cwd: repositoryRoot,
        group: true,
      });
      const port = Number(worker.match?.[1]);
      worker.child.kill(signal);
      await expect.poll(() => portHolder(port)).toBeUndefined();
      await worker.exited;
    },
  );

  test("ends when its standard input is closed and it was told to watch it", async () => {
    const worker = await spawnPeer(process.execPath, [command, "worker", "--watch-stdin"], {
      env: workerEnvironment(),
      input: "",
    });
    expect((await worker.exited).code).toBe(0);
  });

  test("takes its cluster from a file, flags, TF_CONFIG or a ServerDef", async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const [classic, flags, tfConfig, serverDef] = ports.map((port) => `localhost:${port}`) as [
      string,
      string,
      string,
      string,
    ];
    const def = makeServerDef({ cluster: { any: [serverDef] } });
    const workers = await Promise.all([
      startWorker([
        "--cluster",
        file("clusterspec.json", JSON.stringify({ worker: [classic] })),
        "--task_index=0",
      ]),
      startWorker([
        `--ps_hosts=${flags}`,
        "--worker-hosts",
        "localhost:1",
        "--job_name",
        "ps",
        "--task_index",
        "0",
      ]),
      startWorker([], {
        TF_CONFIG: JSON.stringify({ cluster: { chief: [tfConfig] }, task: { type: "chief", index: 0 } }),
      }),
      startWorker(["--server_def", file("server.def", ServerDef.encode(def).finish())]),
    ]);
    expect(workers.map(({ target }) => target)).toEqual(
      [classic, flags, tfConfig, serverDef].map((address) => `grpc://${address}`),
    );
  });

  test("names the process that has the port", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "0.0.0.0", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    try {
      const { code, output } = await runCommand(["worker", `--worker_hosts=localhost:${port}`]);
      expect(code).toBe(1);
      expect(output).toContain(`UNKNOWN: Could not start gRPC server: port ${port} is in use by`);
      expect(output).toContain(`(process ${process.pid})`);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test.each([
    [["--worker_hosts=localhost:2222", "--task_index=3"], "INVALID_ARGUMENT: Task 3 is not in the cluster"],
    [["--worker_hosts=localhost", "--task_index=0"], "INVALID_ARGUMENT: The address 'localhost'"],
    [
      ["--worker_hosts=no-such-host.invalid:2222"],
      "UNAVAILABLE: The ClusterSpec gives this task the host no-such-host",
    ],
    [["--tsk_index=3"], "Did you mean --task_index?"],
    [["--engine=portable", "--library=/x"], "INVALID_ARGUMENT: --library selects a libtensorflow"],
    [["--files=/tmp"], "INVALID_ARGUMENT: --bind, --files,"],
    [["--engine=portable", "--tls_cert=/x"], "must be given together"],
    [["--cluster=/does/not/exist.json"], "NOT_FOUND"],
    [["--library=/does/not/exist.so"], "FAILED_PRECONDITION: /does/not/exist.so does not exist."],
    [[`--library=${process.execPath}`], "FAILED_PRECONDITION"],
  ])("%j fails with %s", async (args, text) => {
    const { code, output } = await runCommand(["worker", ...args]);
    expect(code).toBe(1);
    expect(output).toContain(text);
  });

  test("a ServerDef whose task index is not in its cluster is refused", async () => {
    const def = ServerDef.fromPartial(makeServerDef({ cluster: { worker: ["localhost:0"] } }));
    def.taskIndex = 7;
    const { code, output } = await runCommand([
      "worker",
      "--server_def",
      file("bad.def", ServerDef.encode(def).finish()),
    ]);
    expect(code).toBe(1);
    expect(output).toContain('INVALID_ARGUMENT: Task 7 was not defined in job "worker"');
  });

  test.skipIf(process.platform !== "linux")(
    "a library without TF_NewServer is named with what it lacks",
    async () => {
      const library =
        process.arch === "x64" ? "/lib/x86_64-linux-gnu/libm.so.6" : "/lib/aarch64-linux-gnu/libm.so.6";
      const { code, output } = await runCommand(["worker", "--library", library]);
      expect(code).toBe(1);
      expect(output).toMatch(/FAILED_PRECONDITION: .*libm\.so\.6 has no TF_Version.*TF_NewServer/);
    },
  );

  test("a path that names nothing is no reason to take another library", async () => {
    const { output } = await runCommand(["worker"], { TENSORDECK_LIBTENSORFLOW: "/does/not/exist" });
    expect(output).toContain("It was named by TENSORDECK_LIBTENSORFLOW.");
  });

  test("runtime alone lists what was found, and why the rest cannot be used", async () => {
    const { code, output } = await runCommand(["runtime"], { TENSORDECK_LIBTENSORFLOW: "/does/not/exist" });
    expect(code).toBe(0);
    expect(output).toContain("/does/not/exist does not exist.");
  });

  test("help and version need no library", async () => {
    const env = { TENSORDECK_LIBTENSORFLOW: "/does/not/exist" };
    for (const args of [
      ["--help"],
      ["worker", "--help"],
      ["runtime", "--help"],
      ["runtime", "install", "--help"],
    ]) {
      const { code, output } = await runCommand(args, env);
      expect(code).toBe(0);
      expect(output).toContain("usage: tensordeck");
    }
    expect((await runCommand(["--version"], env)).output).toMatch(/^tensordeck \d+\.\d+\.\d+\n$/);
    expect((await runCommand(["wroker"], env)).output).toContain("Did you mean worker?");
  });
});
