import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogLine } from "../../worker-runtime/engines/log-lines.js";
import { packageRoot } from "../../worker-runtime/engines/package-root.js";
import { Server, type ServerOptions } from "../../worker-runtime/engines/server.js";
import { locateRuntime } from "../../worker-runtime/engines/tensorflow/find.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../worker-runtime/protocol/status.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { environmentWithoutProxies, peerMissing, spawnPeer, vulkanEnvironment } from "../support/peers.js";
import { command, runCommand } from "./worker-peers.js";

const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-portable-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A machine without Python and without anything that was installed for this user. */
const bareEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(environmentWithoutProxies()).filter(
      ([name]) => !/^(?:TENSORDECK_LIBTENSORFLOW|TF_CONFIG|VIRTUAL_ENV|CONDA_PREFIX)$/.test(name),
    ),
  ),
  PATH: folder,
  HOME: folder,
  XDG_DATA_HOME: folder,
});

const startWorker = (args: readonly string[], env = bareEnvironment()) =>
  spawnPeer(process.execPath, [command, "worker", ...args], { ready: /^target (grpc:\/\/\S+)$/m, env });

async function runNegative(target: string): Promise<unknown> {
  const graph = new Graph();
  const x = ops.placeholder(graph, "float32");
  const session = new Session(target, { graph });
  try {
    const { values } = await session.run([ops.negative(x)], { feeds: [[x, [1, 2]]] });
    return values[0]?.toArray();
  } finally {
    await session.close();
  }
}

/** An installation whose packages lack ONNX Runtime. @returns its command. */
function installationWithoutOnnxRuntime(): string {
  const [from, to] = [packageRoot(), path.join(folder, "installation")];
  mkdirSync(path.join(to, "node_modules"), { recursive: true });
  for (const part of [
    "package.json",
    "build/bin",
    "build/out/main",
    "build/out/protos",
    "build/out/program",
    "build/out/worker-runtime",
  ]) {
    cpSync(path.join(from, part), path.join(to, part), { recursive: true });
  }
  for (const part of readdirSync(path.join(from, "node_modules"))) {
    if (!part.startsWith("onnxruntime")) {
      symlinkSync(path.join(from, "node_modules", part), path.join(to, "node_modules", part), "junction");
    }
  }
  return path.join(to, "build", "bin", "tensordeck.mjs");
}

describe("a portable worker without ONNX Runtime", () => {
  let without: string;
  beforeAll(() => {
    without = installationWithoutOnnxRuntime();
  });
  const start = (args: readonly string[], env = bareEnvironment()) =>
    spawnPeer(process.execPath, [without, "worker", "--engine=portable", ...args], {
      ready: /^target (grpc:\/\/\S+)$/m,
      env,
    });

  test("computes by its kernels, and says so once", async () => {
    const worker = await start(["--regions=always"]);
    for (let run = 0; run < 2; run += 1) {
      expect(await runNegative(worker.match?.[1] ?? "")).toEqual([-1, -2]);
    }
    const said = worker
      .output()
      .match(/ONNX Runtime cannot be used on this machine; everything runs on plain kernels: /g);
    expect(said).toHaveLength(1);
  });

  test.skipIf(peerMissing("vulkan"))(
    "has no GPU, and says why; one that was asked for is refused",
    async () => {
      const env = { ...bareEnvironment(), ...vulkanEnvironment(), TENSORDECK_SOFTWARE_GPU: "1" };
      const worker = await start([], env);
      await worker.waitForOutput(/No GPU is used: ONNX Runtime cannot be loaded: /);
      expect(await runNegative(worker.match?.[1] ?? "")).toEqual([-1, -2]);
      await expect(start(["--gpu=0"], env)).rejects.toThrow(
        /FAILED_PRECONDITION: GPU 0 cannot be used: ONNX Runtime cannot be loaded: .* or use --gpu none\./s,
      );
    },
  );
});

describe("tensordeck worker --engine portable", () => {
  test("prints its target, runs graphs, and ends on SIGTERM", async () => {
    const worker = await startWorker(["--engine", "portable"]);
    expect(worker.stdout()).toMatch(/^target grpc:\/\/localhost:\d+\n$/);
    await worker.waitForOutput(/ I tensordeck\/worker\] The portable engine of Tensordeck \S+ serves grpc:/);
    expect(worker.output()).not.toContain("authentication");
    expect(await runNegative(worker.match?.[1] ?? "")).toEqual([-1, -2]);
    worker.child.kill("SIGTERM");
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  });

  test("ends in good order on SIGTERM while ONNX Runtime computes", async () => {
    const worker = await startWorker(["--engine=portable", "--regions=always"]);
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    let y = ops.matMul(x, x);
    for (let more = 0; more < 5; more += 1) {
      y = ops.matMul(y, x);
    }
    const size = 700;
    const value = new Tensor("float32", [size, size], new Float32Array(size * size).fill(1 / size));
    const session = new Session(worker.match?.[1] ?? "", { graph });
    const run = () => session.run([y], { feeds: [[x, value]] });
    // Makes the session.
    await run();
    // ONNX Runtime runs them one after another: with the first answer it is in one of the others.
    const runs = Array.from({ length: 4 }, run);
    const all = Promise.allSettled(runs);
    await Promise.race(runs);
    worker.child.kill("SIGTERM");
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    expect(worker.output()).not.toContain("terminate called");
    await all;
    await session.close().catch(() => undefined);
  });

  test("serves where there is no libtensorflow and no engine was named", async (context) => {
    const env = bareEnvironment();
    const isThere = await locateRuntime({ env }).then(
      () => true,
      () => false,
    );
    context.skip(isThere, "this system has a libtensorflow");
    const worker = await startWorker([], env);
    await worker.waitForOutput(
      /No libtensorflow was found on this machine, so this task uses the portable engine\./,
    );
    expect(await runNegative(worker.match?.[1] ?? "")).toEqual([-1, -2]);
  });

  test("says in a line that others can reach it", async () => {
    const worker = await startWorker(["--engine=portable", "--bind=0.0.0.0"]);
    await worker.waitForOutput(
      / W tensordeck\/worker\] Other machines can reach this task \(it listens on 0\.0\.0\.0\), .* no authentication/,
    );
  });

  test("refuses what is above the limits that it was given, and goes on", async () => {
    const worker = await startWorker(["--engine=portable", "--max_tensor_mb=1", "--max_graph_nodes=5"]);
    const target = worker.match?.[1] ?? "";
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    // The product is made on another thread.
    const [negative, product] = [ops.negative(x), ops.matMul(x, x)];
    const side = 700;
    const session = new Session(target, { graph });
    for (const fetch of [negative, product]) {
      const feeds = [[x, new Tensor("float32", [side, side], new Float32Array(side * side))]] as const;
      await expect(session.run([fetch], { feeds })).rejects.toMatchObject({
        code: StatusCode.RESOURCE_EXHAUSTED,
        message: expect.stringContaining("OOM when allocating tensor with shape[700,700]"),
      });
    }
    await session.close();
    for (let i = 0; i < 3; i += 1) {
      ops.negative(x);
    }
    const large = new Session(target, { graph });
    await expect(large.run([product], { feeds: [[x, [[1]]]] })).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringContaining("may have 5 nodes"),
    });
    await large.close();
    expect(await runNegative(target)).toEqual([-1, -2]);
  });

  test.each([
    [
      ["--worker_hosts=192.0.2.1:2222"],
      "INVALID_ARGUMENT: The ClusterSpec gives this task the address 192.0.2.1",
    ],
    [["--worker_hosts=no-such-host.invalid:2222"], "UNAVAILABLE: no-such-host.invalid"],
    [["--tls_cert=a", "--tls_key=b", "--tls_peers=c"], "NOT_FOUND: "],
    [["--max_message_mb=0"], "--max_message_mb must be a whole number from 1 to 2047"],
  ])("%j fails with %s", async (args, text) => {
    const { code, output } = await runCommand(["worker", "--engine", "portable", ...args]);
    expect(code).toBe(1);
    expect(output).toContain(text);
  });
});

describe("Server with the portable engine", () => {
  const start = (more: ServerOptions = {}) => Server.start({ engine: "portable", ...more });
  /** The log comes by another way than the word that the server serves. */
  const beginning = expect.stringMatching(/^Starting server #0/);

  test("starts, says what it is, and stops", async () => {
    const log: LogLine[] = [];
    const server = await start({ onLog: (line) => log.push(line) });
    try {
      expect(server.engine).toBe("portable");
      expect(server.version).toMatch(/^\d+\.\d+\.\d+/);
      expect(server.library).toBeUndefined();
      expect(server.target).toMatch(/^grpc:\/\/localhost:\d+$/);
      expect(await server.gpu()).toEqual({ devices: [], problems: [] });
      await expect.poll(() => log.map(({ text }) => text)).toContainEqual(beginning);
      expect(await runNegative(server.target)).toEqual([-1, -2]);
    } finally {
      await server.stop();
    }
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test("rejects with the code and text of the worker", async () => {
    const server = await start();
    try {
      const address = server.target.replace("grpc://", "");
      await expect(start({ cluster: { worker: [address] } })).rejects.toMatchObject({
        code: StatusCode.UNKNOWN,
        message: expect.stringContaining(`(process ${server.pid})`),
      });
    } finally {
      await server.stop();
    }
  });

  test("has the devices of its config", async () => {
    const server = await start({ config: { deviceCount: new Map([["CPU", 2]]) } });
    const session = new Session(server.target);
    try {
      expect((await session.listDevices()).map(({ name }) => name.slice(-5))).toEqual(["CPU:0", "CPU:1"]);
    } finally {
      await session.close();
      await server.stop();
    }
  });
});
