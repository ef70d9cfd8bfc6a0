import { readdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { probeAddress } from "../../../../main/network/reachability/probe.js";
import { startStockServers } from "../../../interop/peers/stock-servers.js";
import { ownTensorflowPython, peerMissing } from "../../../support/peers.js";
import { freePort } from "../../../support/processes.js";
import { listen, outcomes, probeTask } from "./support/servers.js";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

describe("the probe of a task's address", () => {
  test("tells a closed port from everything else", async () => {
    const layers = await probeAddress({ address: `127.0.0.1:${await freePort()}`, kind: "task" });
    expect(outcomes(layers)).toBe("name skipped, tcp refused, http2 skipped, status skipped");
    expect(layers.find(({ layer }) => layer === "tcp")?.detail).toBe("connection refused");
  });

  test("tells a program that accepts and says nothing", async () => {
    const { port } = await listen(createServer());
    expect(await probeTask(`127.0.0.1:${port}`)).toBe(
      "name skipped, tcp ok, http2 timed-out, status skipped",
    );
  });

  test("tells a program that closes the connection", async () => {
    const { port } = await listen(createServer((socket) => socket.end()));
    expect(await probeTask(`127.0.0.1:${port}`)).toBe("name skipped, tcp ok, http2 closed, status skipped");
  });

  test("tells a program that resets the connection", async () => {
    const { port } = await listen(
      createServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
    );
    expect(await probeTask(`127.0.0.1:${port}`)).toBe("name skipped, tcp ok, http2 reset, status skipped");
  });

  test("tells a web server or a proxy, by its name where it gives one", async () => {
    const { port } = await listen(
      createServer((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\nServer: squid/5.7\r\n\r\n")),
      ),
    );
    const layers = await probeAddress({ address: `127.0.0.1:${port}`, kind: "task" });
    expect(outcomes(layers)).toBe("name skipped, tcp ok, http2 http1, status skipped");
    expect(layers.find(({ layer }) => layer === "http2")?.detail).toBe(
      "answers with HTTP/1.1 400 Bad Request (Server: squid/5.7)",
    );
  });

  test("tells Node's own web server", async () => {
    const { port } = await listen(createHttpServer());
    expect(await probeTask(`127.0.0.1:${port}`)).toBe("name skipped, tcp ok, http2 http1, status skipped");
  });

  test("tells a program with another protocol", async () => {
    const { port } = await listen(
      createServer((socket) => socket.write("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")),
    );
    expect(await probeTask(`127.0.0.1:${port}`)).toBe(
      "name skipped, tcp ok, http2 other-protocol, status skipped",
    );
  });

  test("tells HTTP/2 without TensorFlow", async () => {
    const server = createHttp2Server((_request, response) => response.end("hello"));
    server.on("sessionError", () => undefined);
    const { port } = await listen(server);
    expect(await probeTask(`127.0.0.1:${port}`)).toBe(
      "name skipped, tcp ok, http2 ok, status not-tensorflow",
    );
  });

  test("refuses what is no address", async () => {
    await expect(probeAddress({ address: "gpu-pc", kind: "task" })).rejects.toMatchObject({
      problem: {
        code: "INVALID_ARGUMENT",
        message: "The address 'gpu-pc' has no port; write for example gpu-pc:2222.",
      },
    });
  });

  test.skipIf(!hasIpv6)("dials IPv6", async () => {
    const { port } = await listen(createServer(), "::1");
    expect(await probeTask(`[::1]:${port}`)).toBe("name skipped, tcp ok, http2 timed-out, status skipped");
  });

  test.skipIf(!hasIpv6)("uses whichever address of a name answers", async () => {
    const { port } = await listen(
      createServer((socket) => socket.end()),
      "::1",
    );
    const layers = await probeAddress({ address: `localhost:${port}`, kind: "task" });
    const name = layers.find(({ layer }) => layer === "name")?.detail ?? "";
    // Where the hosts file gives localhost no IPv6 address, the port is closed.
    expect(outcomes(layers)).toContain(name.includes("::1") ? "tcp ok" : "tcp refused");
  });

  test("ends at once when it is cancelled, in whatever layer", async () => {
    const silent = await listen(createServer((socket) => socket.resume()));
    for (const signal of [AbortSignal.abort(new Error("enough")), abortedAfter(50)]) {
      await expect(
        probeAddress({ address: `127.0.0.1:${silent.port}`, kind: "task", signal }),
      ).rejects.toThrow("enough");
    }
    await expect.poll(() => silent.sockets.size).toBe(0);
  });
});

/** The state of each thread of a process, by proc(5): a letter each, `T` for a stopped one. */
function threadStates(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.map((id) => threadState(readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8"))).join("");
}

/** The state follows the name, which is in parentheses and may contain some itself. */
function threadState(stat: string): string {
  return stat.charAt(stat.lastIndexOf(")") + 2);
}

function abortedAfter(millis: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), millis);
  return controller.signal;
}

describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
  let port = 0;
  let pid = 0;
  beforeAll(async () => {
    port = await freePort();
    const peers = await startStockServers(
      { worker: [`127.0.0.1:${port}`] },
      ["worker/0"],
      ownTensorflowPython(),
    );
    pid = peers.process.pid;
  });

  test("a real server passes every layer", async () => {
    const layers = await probeAddress({ address: `127.0.0.1:${port}`, kind: "task" });
    expect(outcomes(layers)).toBe("name skipped, tcp ok, http2 ok, status ok");
    expect(layers.at(-1)?.detail).toMatch(/^answers: .*CPU/);
    expect(layers.at(-1)?.millis).toBeGreaterThan(0);
  });

  test("a paused process accepts and is silent", async () => {
    process.kill(pid, "SIGSTOP");
    try {
      // The kernel stops threads one by one, and one of gRPC's that still runs would answer.
      await expect.poll(() => threadStates(pid), { interval: 10 }).toMatch(/^T+$/);
      expect(await probeTask(`127.0.0.1:${port}`)).toBe(
        "name skipped, tcp ok, http2 timed-out, status skipped",
      );
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });
});
