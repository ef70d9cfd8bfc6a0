/** A window of one machine, shown on another one through the agents. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ServedApplication } from "../../../../main/hosts/headless/connection.js";
import { type HeadlessHost, startHeadlessHost } from "../../../../main/hosts/headless/headless-host.js";
import { windowPreface } from "../../../../main/peers/agent/window-protocol.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import { dialAgent } from "../../../../main/peers/port/dial-agent.js";
import { rawRequest } from "../../support/raw-socket.js";
import { until } from "../../support/until.js";
import { openWindow } from "../../support/window.js";
import { pair, TestAgent } from "./agents.js";

let folder: string;
let host: HeadlessHost;
let pi: TestAgent;
let laptop: TestAgent;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-window-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<title>the window of pi</title>");
  await writeFile(join(folder, "assets", "large.js"), `// ${"x".repeat(3 << 20)}`);
  host = await startHeadlessHost({ port: 0, rendererFolder: folder });
  const application: ServedApplication = {
    handle: async (method) => `answer of pi to ${method}`,
    onEvent: () => () => undefined,
    newestEvent: () => undefined,
  };
  host.serve(application);
  pi = await TestAgent.start("pi", host.sharedWindow);
  laptop = await TestAgent.start("laptop");
});

afterEach(async () => {
  await Promise.all([laptop.dispose(), pi.dispose()]);
  await host.close();
  await rm(folder, { recursive: true });
});

async function openPi(): Promise<URL> {
  await pair(pi, laptop, "manage");
  const connection = laptop.connect(pi);
  await until("pi is online", () => connection.facts().presence === "online");
  return new URL(await connection.openWindow());
}

test("files, the exchange of the token and the socket come through", async () => {
  const url = await openPi();
  expect(Number(url.port)).not.toBe(host.port);
  expect(await (await fetch(url)).text()).toContain("the window of pi");
  // Several requests over one connection, one of them large.
  const large = await (await fetch(new URL("assets/large.js", url))).text();
  expect(large).toHaveLength((3 << 20) + 3);
  const policy = (await fetch(url)).headers.get("content-security-policy");
  expect(policy).toContain(`ws://127.0.0.1:${url.port}`);
  const window = await openWindow(url.href);
  expect(await window.call("app.info")).toBe("answer of pi to app.info");
  window.close();
  // The token was good once.
  await expect(openWindow(url.href)).rejects.toThrow();
});

test("it answers under the name and port of the asking machine only", async () => {
  const url = await openPi();
  const head = (name: string, more = "") =>
    `GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n${more}\r\n`;
  expect((await rawRequest(Number(url.port), head(url.host))).status).toBe(200);
  expect((await rawRequest(Number(url.port), head("evil.example"))).status).toBe(403);
  expect((await rawRequest(Number(url.port), head(`127.0.0.1:${host.port}`))).status).toBe(403);
  // Its own port knows nothing of the other one's.
  expect((await rawRequest(host.port, head(`127.0.0.1:${host.port}`))).status).toBe(200);
  expect((await rawRequest(host.port, head(url.host))).status).toBe(403);
  const foreign = await fetch(new URL("api/session", url), {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: "http://evil.example" },
    body: JSON.stringify({ token: "x" }),
  });
  expect(foreign.status).toBe(403);
});

test("what comes together with the preface is not lost", async () => {
  await pair(pi, laptop, "manage");
  const { identity } = laptop;
  const { deviceId } = pi.identity;
  const socket = await dialAgent({ identity, deviceId, addresses: [pi.address], alpn: Alpn.window });
  const request = "GET / HTTP/1.1\r\nHost: 127.0.0.1:4000\r\nConnection: close\r\n\r\n";
  socket.write(Buffer.concat([windowPreface(4000), Buffer.from(request)]));
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toContain("HTTP/1.1 200");
});

test("a role below manage opens no window, and one that is taken back ends it", async () => {
  const url = await openPi();
  const window = await openWindow(url.href);
  await pair(pi, laptop, "run");
  await expect(fetch(url)).rejects.toThrow();
  await expect(laptop.connections[0]?.openWindow()).rejects.toMatchObject({
    problem: { code: "PERMISSION_DENIED" },
  });
  window.close();
});

test("a connection that is closed takes its port along", async () => {
  const url = await openPi();
  await laptop.connections[0]?.close();
  await expect(fetch(url)).rejects.toThrow();
});
