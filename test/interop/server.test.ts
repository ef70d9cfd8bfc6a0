import { describe, expect, test } from "vitest";
import { awaitServing } from "../../worker-runtime/engines/get-status.js";
import type { LogLine } from "../../worker-runtime/engines/log-lines.js";
import { Server, type ServerOptions } from "../../worker-runtime/engines/server.js";
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { libtensorflowDir, peerMissing, repositoryRoot, spawnPeer } from "../support/peers.js";

const options = (more: ServerOptions = {}): ServerOptions => ({ library: libtensorflowDir(), ...more });

async function failure(promise: Promise<unknown>): Promise<TensorFlowError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TensorFlowError);
  return error as TensorFlowError;
}

const portOf = (server: Server) => Number(server.target.split(":").at(-1));

describe.skipIf(peerMissing("tensorflow"))("Server", () => {
  test("starts a local server, tells its log, its port and its version, and stops", async () => {
    const log: LogLine[] = [];
    const server = await Server.createLocalServer(options({ onLog: (line) => log.push(line) }));
    expect(server.target).toMatch(/^grpc:\/\/localhost:\d+$/);
    expect(server.version).toMatch(/^2\.\d+\.\d+/);
    expect(server.serverDef.cluster?.job[0]?.tasks.get(0)).toBe(`localhost:${portOf(server)}`);
    // The log comes by another way than the word that the server serves.
    await expect
      .poll(() => log.map(({ text }) => text))
      .toContainEqual(expect.stringMatching(/^Starting server #0/));
    await awaitServing("127.0.0.1", portOf(server), 10_000);
    await server.stop();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await server.stop();
  });

  test("rejects with the code and text of the worker", async () => {
    const server = await Server.createLocalServer(options());
    try {
      const inUse = await failure(
        Server.start(options({ cluster: { worker: [`localhost:${portOf(server)}`] } })),
      );
      expect(inUse.code).toBe(StatusCode.UNKNOWN);
      expect(inUse.message).toContain(`(process ${server.pid})`);
    } finally {
      await server.stop();
    }
    expect((await failure(Server.start({ library: "/does/not/exist" }))).code).toBe(
      StatusCode.FAILED_PRECONDITION,
    );
    expect(
      (await failure(Server.start(options({ cluster: { a: ["localhost:0"], b: ["localhost:0"] } })))).code,
    ).toBe(StatusCode.INVALID_ARGUMENT);
  });

  test("is cancelled while it starts, and stopped by the same signal afterwards", async () => {
    const early = new AbortController();
    const starting = Server.start(options({ signal: early.signal }));
    early.abort();
    expect((await failure(starting)).code).toBe(StatusCode.CANCELLED);
    const late = new AbortController();
    const server = await Server.start(options({ signal: late.signal }));
    late.abort();
    expect((await server.exited).code).toBe(0);
  });

  test("says when its process was killed", async () => {
    const server = await Server.createLocalServer(options());
    process.kill(server.pid ?? 0, "SIGKILL");
    expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("a parameter server sees no GPU, and says why", async () => {
    const server = await Server.start(options({ cluster: { ps: ["localhost:0"] } }));
    try {
      const { devices, problems } = await server.gpu();
      expect(devices).toEqual([]);
      expect(problems.map(({ kind }) => kind)).toEqual(["hidden"]);
    } finally {
      await server.stop();
    }
  });

  test("ends with the process that started it, however that ends", async () => {
    const script = `
      import { Server } from "${repositoryRoot}/build/out/worker-runtime/engines/server.js";
      const server = await Server.createLocalServer({ library: ${JSON.stringify(libtensorflowDir())} });
      console.log("worker", server.pid, server.target.split(":").at(-1));
      await server.join();`;
    const parent = await spawnPeer(process.execPath, ["--input-type=module", "-e", script], {
      ready: /^worker (\d+) (\d+)$/m,
    });
    const pid = Number(parent.match?.[1]);
    await parent.stop("SIGKILL");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
