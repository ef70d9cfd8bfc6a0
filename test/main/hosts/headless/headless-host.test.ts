import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { connect as connectTcp, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode, encode } from "@msgpack/msgpack";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { HeldContent } from "../../../../main/api/contract.js";
import { DEFAULT_SETTINGS } from "../../../../main/api/default-settings.js";
import {
  CONTENT_PATH,
  SESSION_PATH,
  SOCKET_PATH,
  SocketClose,
  socketProtocols,
} from "../../../../main/api/headless.js";
import { ProblemError } from "../../../../main/api/wire.js";
import { Access } from "../../../../main/hosts/headless/access.js";
import { type HeadlessHost, startHeadlessHost } from "../../../../main/hosts/headless/headless-host.js";
import { EventHub } from "../../../../main/shared/events.js";
import { problem } from "../../../../main/shared/problems.js";
import { rawRequest } from "../../support/raw-socket.js";

const MAX_MESSAGE_BYTES = 64 * 1024;
let folder: string;
let renderer: string;
let host: HeadlessHost;
let hub: EventHub;
let now: number;
const open: WebSocket[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-host-"));
  renderer = join(folder, "renderer");
  await mkdir(join(renderer, "assets"), { recursive: true });
  await writeFile(join(renderer, "index.html"), "<!doctype html><title>window</title>");
  await writeFile(join(renderer, "assets", "a.js"), "export {}");
  await writeFile(join(renderer, ".hidden.js"), "secret");
  await writeFile(join(folder, "outside.js"), "secret");
  now = 1_000_000;
  hub = new EventHub();
  host = await startHeadlessHost({
    port: 0,
    rendererFolder: renderer,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    access: new Access(() => now),
  });
  host.serve({
    handle: async (method, params) => {
      if (method === "documents.part") return partOf(params as HeldContent);
      if (method === "fails") throw problem("NOT_FOUND", "There is none.", { remedy: "Look elsewhere." });
      return { method, params };
    },
    onEvent: (listener) => hub.listen(listener),
    newestEvent: (event) => hub.newest(event),
  });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await host.close();
  await rm(folder, { recursive: true });
});

const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);

/** As the application gives parts of held content, of which there is one. */
function partOf({ id, offset }: HeldContent): Uint8Array {
  if (id !== "held") throw problem("NOT_FOUND", "It is no longer here.", { remedy: "Open it again." });
  return content.slice(offset, offset + 65_536);
}

function tokenOf(url: string): string {
  return new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? "";
}

const origin = () => `http://127.0.0.1:${host.port}`;

function exchange(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${origin()}${SESSION_PATH}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin(), ...headers },
    body: JSON.stringify({ token }),
  });
}

async function secret(): Promise<string> {
  const response = await exchange(tokenOf(host.newWindowUrl()));
  expect(response.status).toBe(200);
  const body = (await response.json()) as { secret: string };
  return body.secret;
}

/** Opens a socket; rejects with the HTTP status where the upgrade is refused. */
function connect(
  protocols: string[],
  options: { origin?: string | undefined; host?: string } = { origin: origin() },
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}${SOCKET_PATH}`, protocols, {
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      ...(options.host === undefined ? {} : { headers: { Host: options.host } }),
    });
    open.push(socket);
    socket.once("open", () => resolve(socket));
    socket.once("unexpected-response", (_request, response) =>
      reject(new Error(String(response.statusCode))),
    );
    socket.once("error", reject);
  });
}

function nextMessage(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once("message", (data: Buffer) => resolve(decode(new Uint8Array(data))));
  });
}

function closeCode(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once("close", (code) => resolve(code)));
}

describe("large content", () => {
  const get = (query: string, secret?: string) =>
    fetch(`${origin()}${CONTENT_PATH}?${query}`, {
      headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    });

  it("is one response, from an offset on", async () => {
    const response = await get("id=held&offset=1000", await secret());
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content.slice(1000));
  });

  it("is given to tabs of this host only", async () => {
    expect((await get("id=held&offset=0")).status).toBe(401);
    expect((await get("id=held&offset=0", "guessed")).status).toBe(401);
  });

  it("that is not there is refused with the reason", async () => {
    const response = await get("id=other&offset=0", await secret());
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND", message: "It is no longer here." });
    expect((await get("id=held&offset=-1", await secret())).status).toBe(400);
  });
});

describe("the window's files", () => {
  it("are served with headers that let the page load nothing from elsewhere", async () => {
    const response = await fetch(origin());
    expect(await response.text()).toContain("<title>window</title>");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const asset = await fetch(`${origin()}/assets/a.js`);
    expect(asset.headers.get("content-type")).toContain("text/javascript");
    expect(asset.headers.get("cache-control")).toContain("immutable");
  });

  it.each([
    "/../outside.js",
    "/assets/../../outside.js",
    "/%2e%2e/outside.js",
    "/..%2foutside.js",
    "/assets/..%5c..%5coutside.js",
    "//etc/passwd",
    "/.hidden.js",
    "/assets/%00.js",
    "/%zz",
    "/assets",
    "/missing.js",
  ])("%s names none of them", async (path) => {
    const { status, body } = await rawRequest(
      host.port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(404);
    expect(body).not.toContain("secret");
  });

  it("do not include what a link leads to outside the folder", async () => {
    await symlink(join(folder, "outside.js"), join(renderer, "link.js"));
    expect((await fetch(`${origin()}/link.js`)).status).toBe(404);
  });

  it("are not served under another host's name", async () => {
    const { status } = await rawRequest(
      host.port,
      `GET / HTTP/1.1\r\nHost: attacker.example:${host.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(403);
  });

  it("can only be read", async () => {
    const response = await fetch(origin(), { method: "PUT", body: "x" });
    expect(response.status).toBe(405);
  });
});

describe("a token", () => {
  it("is exchanged for a secret that is good until the host ends", async () => {
    const good = await secret();
    const check = (value: string) =>
      fetch(`${origin()}${SESSION_PATH}`, { headers: { Authorization: `Bearer ${value}` } });
    expect((await check(good)).status).toBe(204);
    now += 365 * 24 * 3600_000;
    expect((await check(good)).status).toBe(204);
    expect((await check(`${good}x`)).status).toBe(401);
  });

  it("is good once", async () => {
    const token = tokenOf(host.newWindowUrl());
    expect((await exchange(token)).status).toBe(200);
    expect((await exchange(token)).status).toBe(401);
  });

  it("expires", async () => {
    const token = tokenOf(host.newWindowUrl());
    now += 16 * 60_000;
    expect((await exchange(token)).status).toBe(401);
  });

  it("is refused when it was made up", async () => {
    expect((await exchange("x".repeat(43))).status).toBe(401);
    expect((await exchange("")).status).toBe(400);
  });

  it("is not used up by a page of another origin, which gets nothing for it", async () => {
    const token = tokenOf(host.newWindowUrl());
    expect((await exchange(token, { Origin: "http://attacker.example" })).status).toBe(403);
    expect((await exchange(token, { Origin: `http://127.0.0.1:${host.port + 1}` })).status).toBe(403);
    expect((await exchange(token, { "Content-Type": "text/plain" })).status).toBe(415);
    expect((await exchange(token)).status).toBe(200);
  });

  it("must come in a small body", async () => {
    expect((await exchange("x".repeat(10_000))).status).toBe(413);
  });
});

describe("a socket", () => {
  it("is refused without a good secret, with another Origin or Host, or on another path", async () => {
    const good = await secret();
    await expect(connect(["tensordeck"])).rejects.toThrow("401");
    await expect(connect(socketProtocols("x".repeat(43)))).rejects.toThrow("401");
    await expect(connect(socketProtocols(good), { origin: "http://attacker.example" })).rejects.toThrow(
      "403",
    );
    await expect(connect(socketProtocols(good), { origin: undefined })).rejects.toThrow("403");
    await expect(
      connect(socketProtocols(good), { origin: origin(), host: `attacker.example:${host.port}` }),
    ).rejects.toThrow("403");
    const socket = await connect(socketProtocols(good));
    expect(socket.protocol).toBe("tensordeck");
  });

  it("carries calls, their failures and events", async () => {
    const socket = await connect(socketProtocols(await secret()));
    socket.send(encode({ id: 7, method: "echo", params: { bytes: new Uint8Array([1, 2]) } }));
    const answer = await nextMessage(socket);
    expect(answer).toEqual({
      id: 7,
      ok: true,
      result: { method: "echo", params: { bytes: new Uint8Array([1, 2]) } },
    });
    socket.send(encode({ id: 8, method: "fails" }));
    expect(await nextMessage(socket)).toEqual({
      id: 8,
      ok: false,
      problem: { code: "NOT_FOUND", message: "There is none.", remedy: "Look elsewhere." },
    });
    const event = nextMessage(socket);
    hub.emit("settings", { ...DEFAULT_SETTINGS, theme: "light" });
    expect(await event).toMatchObject({ event: "settings", data: { theme: "light" } });
  });

  it("is closed for frames that are not requests", async () => {
    const good = await secret();
    const text = await connect(socketProtocols(good));
    text.send("hello");
    expect(await closeCode(text)).toBe(SocketClose.protocolError);
    const garbage = await connect(socketProtocols(good));
    garbage.send(new Uint8Array([0xc1]));
    expect(await closeCode(garbage)).toBe(SocketClose.invalidPayload);
    const notRequest = await connect(socketProtocols(good));
    notRequest.send(encode({ id: -1, method: 3 }));
    expect(await closeCode(notRequest)).toBe(SocketClose.protocolError);
  });

  it("is closed for a frame that is too large", async () => {
    const socket = await connect(socketProtocols(await secret()));
    socket.on("error", () => undefined);
    socket.send(encode({ id: 1, method: "echo", params: new Uint8Array(MAX_MESSAGE_BYTES + 1) }));
    expect(await closeCode(socket)).toBe(SocketClose.tooLarge);
  });

  it("is told when the host ends", async () => {
    const socket = await connect(socketProtocols(await secret()));
    const closed = closeCode(socket);
    await host.close();
    expect(await closed).toBe(SocketClose.goingAway);
  });

  it("that waits for an application that never comes does not keep the host from ending", async () => {
    const access = new Access(() => now);
    const waiting = await startHeadlessHost({ port: 0, rendererFolder: renderer, access });
    const good = access.exchange(access.issueToken()) ?? "";
    const server = `http://127.0.0.1:${waiting.port}`;
    const socket = new WebSocket(`ws://127.0.0.1:${waiting.port}${SOCKET_PATH}`, socketProtocols(good), {
      origin: server,
    });
    open.push(socket);
    const cut = new Promise((resolve) => socket.once("error", resolve));
    // Connections are taken in order: once this is answered, the one before it is waiting.
    await fetch(server);
    await waiting.close();
    await cut;
  });

  it("is open to a window although 300 connections say nothing: the oldest of these give way, and no window", async () => {
    const first = await connect(socketProtocols(await secret()));
    const silent: Socket[] = [];
    try {
      for (let count = 0; count < 300; count++) {
        const socket = connectTcp({ host: "127.0.0.1", port: host.port });
        socket.on("error", () => undefined);
        silent.push(socket);
        await once(socket, "connect");
      }
      const closed = Promise.all(silent.map((socket) => socket.destroyed || once(socket, "close")));
      const second = await connect(socketProtocols(await secret()));
      expect(second.readyState).toBe(WebSocket.OPEN);
      expect(silent[0]?.destroyed).toBe(true);
      expect(silent.at(-1)?.destroyed).toBe(false);
      // They are all disconnected once they have had the time to say something.
      await closed;
      expect([first.readyState, second.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it("and connections that say nothing do not keep the host from ending", async () => {
    const idle = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connectTcp({ host: "127.0.0.1", port: host.port });
        socket.on("error", () => undefined);
        await once(socket, "connect");
        return socket;
      }),
    );
    idle[0]?.write("GET / HTTP/1.1\r\nHost:");
    const closed = Promise.all(idle.map((socket) => once(socket, "close")));
    expect((await fetch(origin())).status).toBe(200);
    await host.close();
    await closed;
  });
});

describe("the port", () => {
  it("that is in use is named in the error", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      const error = await startHeadlessHost({ port, rendererFolder: renderer }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ProblemError);
      expect((error as ProblemError).problem).toMatchObject({ code: "UNAVAILABLE" });
      expect((error as ProblemError).message).toContain(String(port));
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
