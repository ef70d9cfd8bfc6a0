import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { decode, encode } from "@msgpack/msgpack";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ProblemError } from "../../../main/api/wire.js";
import { WebSocketClient } from "../../../renderer/transport/web-socket-client.js";

// The client uses the browser's class; that of ws has the same interface.
Object.assign(globalThis, { WebSocket });

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: unknown;
}
type Answer = (request: Request, socket: WebSocket) => unknown;

let server: WebSocketServer;
let client: WebSocketClient | undefined;
let answer: Answer;

async function listen(port = 0): Promise<number> {
  server = new WebSocketServer({
    host: "127.0.0.1",
    port,
    handleProtocols: (offered) => (offered.has("tensordeck") ? "tensordeck" : false),
  });
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const reply = answer(decode(new Uint8Array(data)) as Request, socket);
      if (reply !== undefined) socket.send(encode(reply));
    });
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function closeServer(): Promise<void> {
  for (const socket of server.clients) socket.terminate();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function connect(
  port: number,
  options: Partial<ConstructorParameters<typeof WebSocketClient>[0]> = {},
): WebSocketClient {
  client = new WebSocketClient({
    url: `ws://127.0.0.1:${port}/`,
    protocols: ["tensordeck", "secret"],
    ...options,
  });
  return client;
}

function until(of: WebSocketClient, wanted: boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = of.onConnection((connected) => {
      if (connected !== wanted) return;
      // The first call comes before `stop` is there.
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

beforeEach(() => {
  answer = () => undefined;
});

afterEach(async () => {
  client?.close();
  client = undefined;
  await closeServer();
});

describe("WebSocketClient", () => {
  it("matches answers to calls in whatever order they come", async () => {
    const held: { request: Request; socket: WebSocket }[] = [];
    answer = (request, socket) => {
      held.push({ request, socket });
      if (held.length < 2) return undefined;
      for (const one of held.toReversed())
        one.socket.send(encode({ id: one.request.id, ok: true, result: `${one.request.method} done` }));
      return undefined;
    };
    const of = connect(await listen());
    const [first, second] = await Promise.all([of.call("settings.get"), of.call("app.newWindowUrl")]);
    expect([first, second]).toEqual(["settings.get done", "app.newWindowUrl done"]);
  });

  it("goes on with a connection that the page has opened before", async () => {
    answer = ({ id, method }) => ({ id, ok: true, result: method });
    const address = `ws://127.0.0.1:${await listen()}/`;
    const opened = new WebSocket(address, ["tensordeck", "secret"]);
    await once(opened, "open");
    const opening = new WebSocket(address, ["tensordeck", "secret"]);
    for (const socket of [opened, opening]) {
      const of = connect(0, { url: address, socket: socket as unknown as globalThis.WebSocket });
      expect(await of.call("settings.get")).toBe("settings.get");
      await until(of, true);
      of.close();
    }
  });

  it("connects anew where that connection has ended meanwhile", async () => {
    answer = ({ id, method }) => ({ id, ok: true, result: method });
    const address = `ws://127.0.0.1:${await listen()}/`;
    const socket = new WebSocket(address, ["tensordeck", "secret"]);
    await once(socket, "open");
    socket.close();
    await once(socket, "close");
    const of = connect(0, { url: address, socket: socket as unknown as globalThis.WebSocket });
    expect(await of.call("settings.get")).toBe("settings.get");
  });

  it("asks first for what was asked for first, before it tells of the connection", async () => {
    const asked: string[] = [];
    answer = ({ id, method }) => {
      asked.push(method);
      return { id, ok: true };
    };
    const of = connect(await listen());
    const first = of.call("documents.examples");
    const second = new Promise((resolve) => {
      of.onConnection((connected) => {
        if (connected) resolve(of.call("app.info"));
      });
    });
    await Promise.all([first, second]);
    expect(asked).toEqual(["documents.examples", "app.info"]);
  });

  it("sends bytes as bytes, leaves absent properties out and answers undefined for no result", async () => {
    let seen: unknown;
    answer = (request) => {
      seen = request.params;
      return { id: request.id, ok: true };
    };
    const of = connect(await listen());
    const bytes = new Uint8Array([1, 2, 255]);
    const result = await of.call("documents.read", { name: "g.pb", bytes });
    expect(result).toBeUndefined();
    expect(seen).toEqual({ name: "g.pb", bytes });
    const path: string | undefined = undefined;
    await of.call("files.list", { path, extensions: ["pb"] });
    expect(seen).toEqual({ extensions: ["pb"] });
  });

  it("rejects with the problem that the application names", async () => {
    const problem = { code: "NOT_FOUND", message: "There is no such task.", remedy: "Add it." };
    answer = ({ id }) => ({ id, ok: false, problem });
    const error = await connect(await listen())
      .call("cluster.startTask", { taskId: "t" })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toEqual(problem);
  });

  it("hands events to their listeners until they stop listening", async () => {
    answer = ({ id }, socket) => {
      socket.send(encode({ event: "taskLog", sequence: 1, data: { taskId: "t", lines: [] } }));
      return { id, ok: true };
    };
    const of = connect(await listen());
    const heard: string[] = [];
    const stop = of.on("taskLog", ({ taskId }) => heard.push(taskId));
    of.on("run", () => heard.push("run"));
    await of.call("settings.get");
    stop();
    await of.call("settings.get");
    expect(heard).toEqual(["t"]);
  });

  it("fails calls under way when the connection breaks, connects again and then answers", async () => {
    const port = await listen();
    const of = connect(port);
    await until(of, true);
    answer = (_request, socket) => {
      socket.terminate();
      return undefined;
    };
    const broken = of.call("runtime.install");
    await expect(broken).rejects.toMatchObject({ problem: { code: "UNAVAILABLE" } });
    await expect(broken).rejects.toThrow("connection");
    answer = ({ id }) => ({ id, ok: true, result: "here again" });
    await until(of, true);
    expect(await of.call("app.newWindowUrl")).toBe("here again");
  });

  it("keeps a call that is made while the connection is away until it is back", async () => {
    const port = await listen();
    const of = connect(port);
    await until(of, true);
    await closeServer();
    await until(of, false);
    const call = of.call("app.newWindowUrl");
    answer = ({ id }) => ({ id, ok: true, result: "kept" });
    await listen(port);
    expect(await call).toBe("kept");
  });

  it("stops trying when the application refuses it, and says so to what waits", async () => {
    const port = await listen();
    await closeServer();
    let tries = 0;
    const refused = new Promise<void>((resolve) => {
      connect(port, {
        isRefused: async () => {
          tries++;
          return tries === 2;
        },
        onRefused: resolve,
      });
    });
    const call = client?.call("settings.get");
    await Promise.all([refused, expect(call).rejects.toMatchObject({ problem: { code: "UNAVAILABLE" } })]);
    expect(tries).toBe(2);
    await listen(port);
    expect(server.clients.size).toBe(0);
  });
});
