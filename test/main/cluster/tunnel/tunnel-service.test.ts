import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../support/processes.js";
import { until } from "../../support/until.js";
import { broken, dial, echo, readAll, readSome, sha256, silenced } from "./support/clients.js";
import { pair, type TunnelMachine } from "./support/machines.js";
import { twoMachines } from "./support/two-machines.js";

const machines = twoMachines();
const { machine } = machines;
let here: TunnelMachine;
let there: TunnelMachine;

beforeEach(() => {
  ({ here, there } = machines);
});

describe("a tunnel between two paired machines", () => {
  test("carries what a client says to the task and back", async () => {
    const task = await there.addTask(echo);
    expect(await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] })).toEqual({
      takenPorts: [],
    });
    const client = await dial(task.port);
    client.write("hello");
    expect(await readSome(client)).toBe("hello");
    expect(here.tunnels.status()).toMatchObject([
      { port: task.port, deviceId: there.id, owners: [here.id], connections: 1, accepted: 1, failed: 0 },
    ]);
    client.destroy();
    await until("the tunnel has no connection", () => here.tunnels.status()[0]?.connections === 0);
    expect(here.tunnels.status()).toMatchObject([{ sentBytes: 5, receivedBytes: 5 }]);
    await until("the task has none", () => task.connections.size === 0);
  });

  test.skipIf(networkInterfaces().lo?.every(({ family }) => family === "IPv4") ?? true)(
    "listens on both loopback addresses",
    async () => {
      const task = await there.addTask(echo);
      await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
      const client = await dial(task.port, "::1");
      client.write("six");
      expect(await readSome(client)).toBe("six");
      client.destroy();
    },
  );

  test("is use of the task by the other machine once it carries something that no run of this one led to", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    there.isRunning = true;
    const client = await dial(task.port);
    client.write("during");
    expect(await readSome(client)).toBe("during");
    expect(there.tunnels.uses()).toEqual([]);
    there.isRunning = false;
    expect(there.tunnels.uses()).toEqual([]);
    client.write("after");
    expect(await readSome(client)).toBe("after");
    there.isRunning = true;
    expect(there.tunnels.uses()).toEqual([{ deviceId: here.id, port: task.port }]);
    client.destroy();
    await until("nobody uses it", () => there.tunnels.uses().length === 0);
  });

  test("lets the task speak first", async () => {
    const task = await there.addTask((socket) => socket.write("welcome"));
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    expect(await readSome(client)).toBe("welcome");
    client.destroy();
  });

  test("keeps the other direction open when one has ended", async () => {
    const task = await there.addTask(async (socket) => {
      const all = await readAll(socket);
      socket.end(`read ${all.length}`);
    });
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    client.end("12345");
    expect((await readAll(client)).toString()).toBe("read 5");

    const farewell = await there.addTask(async (socket) => {
      socket.end("bye");
      await readAll(socket);
    });
    await here.tunnels.setTunnels(here.id, { tunnels: [farewell.tunnel], admissions: [] });
    const other = await dial(farewell.port);
    expect((await readAll(other)).toString()).toBe("bye");
    expect(farewell.connections.size).toBe(1);
    other.end("thanks");
    await until("both directions have ended", () => farewell.connections.size === 0);
  });

  test("carries large transfers both ways at once without a changed byte", async () => {
    const megabytes = randomBytes(32 * 1024 * 1024);
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const clients = await Promise.all([dial(task.port), dial(task.port), dial(task.port)]);
    const answers = await Promise.all(
      clients.map((client) => {
        const answer = readAll(client);
        client.end(megabytes);
        return answer;
      }),
    );
    for (const answer of answers) expect(sha256(answer)).toBe(sha256(megabytes));
  });

  test("holds a sender back whose receiver does not read", async () => {
    const task = await there.addTask((socket) => socket.pause());
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    while (client.write(chunk)) sent++;
    // The bytes on the way fit into the buffers of three connections; the rest stays with the sender.
    for (let i = 0; i < 64; i++) client.write(chunk);
    await until("the task has a connection", () => task.connections.size === 1);
    const [receiver] = task.connections;
    if (!receiver) throw new Error("The task has no connection.");
    let seen = -1;
    await until("the way is full", () => {
      const before = seen;
      seen = here.tunnels.status()[0]?.sentBytes ?? 0;
      return seen > 0 && seen === before && client.writableLength > 0;
    });
    expect(seen).toBeLessThan(48 * 1024 * 1024);
    let received = 0;
    receiver.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    receiver.resume();
    client.end();
    await until("all has come", () => received === (sent + 65) * chunk.length);
  });

  test("takes a burst of connections", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const clients = await Promise.all(Array.from({ length: 150 }, () => dial(task.port)));
    const answers = clients.map((client, i) => {
      client.write(`client ${i}`);
      return readSome(client);
    });
    expect(await Promise.all(answers)).toEqual(clients.map((_, i) => `client ${i}`));
    for (const client of clients) client.destroy();
  });
});

describe("what goes wrong", () => {
  test("a task that breaks off is a broken connection for the client, and the other way round", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    client.write("x");
    await readSome(client);
    for (const socket of task.connections) socket.resetAndDestroy();
    await silenced(client);
    client.destroy();

    const second = await dial(task.port);
    second.write("x");
    await readSome(second);
    second.resetAndDestroy();
    await until("the task's connection is gone", () => task.connections.size === 0);
  });

  test("a task that has ended resets the client, and the status says why", async () => {
    const task = await there.addTask(echo);
    task.server.close();
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
    expect(here.tunnels.status()).toMatchObject([
      { failed: 1, lastFailure: { problem: { reason: expect.stringContaining("accepts no connections") } } },
    ]);
  });

  test("a port that is no task's is never reached, even when something listens there", async () => {
    const secret = createServer((socket) => socket.end("secret"));
    await new Promise<void>((resolve) => secret.listen(0, "127.0.0.1", resolve));
    const port = await freePort();
    const tunnel = {
      port,
      deviceId: there.id,
      agentAddresses: [`127.0.0.1:${there.agentPort.port}`],
    };
    await here.tunnels.setTunnels(here.id, { tunnels: [tunnel], admissions: [] });
    expect(await broken(await dial(port))).toBe("ECONNRESET");
    expect(here.tunnels.status()).toMatchObject([
      { lastFailure: { problem: { reason: "No task of that machine has this port." } } },
    ]);
    secret.close();
  });

  test("a machine that is off resets the client", async () => {
    const task = await there.addTask(echo);
    await there.agentPort.close();
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
    expect(here.tunnels.status()[0]?.lastFailure?.problem.code).toBe("UNAVAILABLE");
  });

  test("a machine that is known to be gone takes its connections along, and no others", async () => {
    const third = await machine();
    await pair(here, third);
    const [task, other, mine] = [
      await there.addTask(echo),
      await third.addTask(echo),
      await here.addTask(echo),
    ];
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel, other.tunnel], admissions: [] });
    await there.tunnels.setTunnels(there.id, { tunnels: [mine.tunnel], admissions: [] });
    const [client, staying, incoming] = await Promise.all([task, other, mine].map(({ port }) => dial(port)));
    if (!client || !staying || !incoming) throw new Error("A connection is missing.");
    for (const socket of [client, staying, incoming]) {
      socket.write("x");
      await readSome(socket);
    }
    const gone = Promise.all([broken(client), silenced(incoming)]);
    here.tunnels.disconnect(there.id);
    expect((await gone)[0]).toBe("ECONNRESET");
    staying.write("still here");
    expect(await readSome(staying)).toBe("still here");
    for (const socket of [staying, incoming]) socket.destroy();
  });

  test("another machine at the address is not taken for the task's", async () => {
    const impostor = await machine();
    await pair(here, impostor);
    const task = await impostor.addTask(echo);
    const tunnel = { ...task.tunnel, deviceId: there.id };
    await here.tunnels.setTunnels(here.id, { tunnels: [tunnel], admissions: [] });
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
    expect(here.tunnels.status()[0]?.lastFailure?.problem.code).toBe("UNAUTHENTICATED");
    expect(task.connections.size).toBe(0);
  });

  test("a machine has a limited number of connections", async () => {
    const narrow = await machine({ connectionsPerPeer: 3 });
    await pair(here, narrow);
    const task = await narrow.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const clients = await Promise.all([dial(task.port), dial(task.port), dial(task.port)]);
    for (const client of clients) {
      client.write("in");
      expect(await readSome(client)).toBe("in");
    }
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
    expect(here.tunnels.status()[0]?.lastFailure?.problem.reason).toContain("too many connections");
    clients[0]?.destroy();
    await until("one has left", () => task.connections.size === 2);
    const next = await dial(task.port);
    next.write("in");
    expect(await readSome(next)).toBe("in");
    for (const client of [...clients, next]) client.destroy();
  });
});
