import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { TunnelAnswer } from "../../../../main/cluster/tunnel/tunnel-protocol.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import { dialAgent } from "../../../../main/peers/port/dial-agent.js";
import { isTaskPort } from "../../../../main/tasks/task-ports.js";
import { freePort } from "../../../support/processes.js";
import { until } from "../../support/until.js";
import { broken, dial, echo, readAll, readSome, sha256, silenced } from "./support/clients.js";
import { pair, startMachine, type TunnelMachine, trusts } from "./support/machines.js";

const machines: TunnelMachine[] = [];

async function machine(options?: Parameters<typeof startMachine>[0]): Promise<TunnelMachine> {
  const started = await startMachine(options);
  machines.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(machines.splice(0).map((started) => started.close()));
});

let here: TunnelMachine;
let there: TunnelMachine;

beforeEach(async () => {
  [here, there] = await Promise.all([machine(), machine()]);
  await pair(here, there);
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
    // What is on the way fits into the buffers of three connections; the rest stays with the sender.
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

describe("a peer that does not keep to the protocol", () => {
  /** A connection for tunnels as the other machine's agent would open it. */
  function rawTunnel(): Promise<TLSSocket> {
    const addresses = [`127.0.0.1:${there.agentPort.port}`];
    return dialAgent({ identity: here.identity, deviceId: there.id, addresses, alpn: Alpn.tunnel });
  }

  test("is answered once and closed when it names an invalid port", async () => {
    const task = await there.addTask(echo);
    const socket = await rawTunnel();
    // Port 0, and more than was asked for.
    socket.write(Buffer.alloc(100_000));
    const answer = await readAll(socket);
    expect([...answer]).toEqual([TunnelAnswer.unknownPort]);
    expect(task.connections.size).toBe(0);
  });

  test("may end or break off in the middle of its first words", async () => {
    const task = await there.addTask(echo);
    const [ending, breaking] = await Promise.all([rawTunnel(), rawTunnel()]);
    ending.end(Buffer.alloc(1));
    expect((await readAll(ending)).length).toBe(0);
    breaking.write(Buffer.alloc(1));
    breaking.destroy();
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    client.write("all is well");
    expect(await readSome(client)).toBe("all is well");
    client.destroy();
  });
});

describe("who may come in", () => {
  test("a machine that may only view is refused, until the owner admits it to the port", async () => {
    await trusts(there, here, "view");
    const [task, other] = [await there.addTask(echo), await there.addTask(echo)];
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel, other.tunnel], admissions: [] });
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");

    await there.tunnels.setTunnels(there.id, {
      tunnels: [],
      admissions: [{ deviceId: here.id, port: task.port }],
    });
    const client = await dial(task.port);
    client.write("now");
    expect(await readSome(client)).toBe("now");
    expect(await broken(await dial(other.port))).toBe("ECONNRESET");
    expect(
      here.tunnels.status().find(({ port }) => port === other.port)?.lastFailure?.problem.reason,
    ).toContain("does not let this one");
    client.destroy();
  });

  test("the owner of a cluster introduces two machines that are not paired with each other", async () => {
    const owner = await machine();
    const guest = await machine();
    await pair(owner, there);
    await pair(owner, guest);
    const task = await there.addTask(echo, owner.id);
    await guest.tunnels.setTunnels(owner.id, { tunnels: [task.tunnel], admissions: [] });
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");

    const admissions = [{ deviceId: guest.id, port: task.port }];
    await there.tunnels.setTunnels(owner.id, { tunnels: [], admissions });
    const client = await dial(task.port);
    client.write("through the owner");
    expect(await readSome(client)).toBe("through the owner");
    // As many as it needs: it is no stranger, though not paired either.
    const more = await Promise.all(Array.from({ length: 100 }, () => dial(task.port)));
    const answers = more.map((connection) => {
      connection.write("again");
      return readSome(connection);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["again"]));
    for (const connection of more) connection.destroy();

    // What the owner said holds only as long as it may say something.
    const gone = silenced(client);
    await there.trust.remove(owner.id);
    await gone;
    client.destroy();
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
  });

  test("who may run graphs speaks for its own tasks, who may manage for all", async () => {
    const owner = await machine();
    const guest = await machine();
    await pair(owner, there);
    await pair(owner, guest);
    const [own, others] = [await there.addTask(echo, owner.id), await there.addTask(echo)];
    const admissions = [own, others].map(({ port }) => ({ deviceId: guest.id, port }));
    await there.tunnels.setTunnels(owner.id, { tunnels: [], admissions });
    await guest.tunnels.setTunnels(owner.id, { tunnels: [own.tunnel, others.tunnel], admissions: [] });
    const says = async (port: number) => {
      const client = await dial(port);
      client.write("in");
      const said = await readSome(client);
      client.destroy();
      return said;
    };
    expect(await says(own.port)).toBe("in");
    expect(await broken(await dial(others.port))).toBe("ECONNRESET");
    await trusts(there, owner, "manage");
    expect(await says(others.port)).toBe("in");
  });

  test("the port of a stopped task is not reachable, since another program may listen there by now", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    task.runs = false;
    expect(await broken(await dial(task.port))).toBe("ECONNRESET");
    expect(task.connections.size).toBe(0);
  });

  test("no tunnel takes a port of the system, nor one of this machine's own cluster", async () => {
    const rival = await machine();
    await pair(here, rival);
    const task = await there.addTask(echo);
    const theirs = [80, task.port].map((port) => ({ port, deviceId: rival.id, agentAddresses: [] }));
    const { takenPorts } = await here.tunnels.setTunnels(rival.id, { tunnels: theirs, admissions: [] });
    expect(takenPorts).toEqual([80]);
    const own = { tunnels: [task.tunnel], admissions: [] };
    expect(await here.tunnels.setTunnels(here.id, own)).toEqual({ takenPorts: [] });
    expect(here.tunnels.status()).toMatchObject([{ deviceId: there.id, owners: [here.id] }]);
  });

  test("no tunnel takes a port other than those of tasks, for any owner", async () => {
    const careful = await machine({ mayTakePort: isTaskPort });
    await pair(careful, there);
    const ports = [1024, 2375, 2379, 3000, 3306, 5432, 6379, 8080, 8888, 9200, 27_017, 40_000, 65_535];
    const wanted = ports.map((port) => ({ port, deviceId: there.id, agentAddresses: [] }));
    for (const owner of [there.id, careful.id]) {
      const { takenPorts } = await careful.tunnels.setTunnels(owner, { tunnels: wanted, admissions: [] });
      expect(takenPorts).toEqual(ports);
    }
    expect(careful.tunnels.status()).toEqual([]);
  });

  test("a machine that may not run graphs sets up no tunnels", async () => {
    const task = await there.addTask(echo);
    await trusts(here, there, "view");
    const refused = here.tunnels.setTunnels(there.id, { tunnels: [task.tunnel], admissions: [] });
    await expect(refused).rejects.toThrow(ProblemError);
    expect(here.tunnels.status()).toEqual([]);
  });

  test("losing the right to run graphs ends what is open, the tunnels that were asked for too", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    client.write("still");
    await readSome(client);
    const gone = silenced(client);
    await trusts(there, here, "view");
    await gone;
    client.destroy();
    await until("the task's connection is gone", () => task.connections.size === 0);

    const mine = await here.addTask(echo);
    await there.tunnels.setTunnels(there.id, { tunnels: [mine.tunnel], admissions: [] });
    await here.tunnels.setTunnels(there.id, { tunnels: [task.tunnel], admissions: [] });
    await here.trust.remove(there.id);
    await until("its tunnels are gone", () =>
      here.tunnels.status().every(({ owners }) => !owners.includes(there.id)),
    );
    expect(await broken(await dial(mine.port))).toBe("ECONNRESET");
  });
});

describe("several owners", () => {
  test("share a tunnel to one machine, and the first of two that want different ones has the port", async () => {
    const rival = await machine();
    await Promise.all([pair(here, rival), pair(rival, there)]);
    const task = await there.addTask(echo);
    const order = { tunnels: [task.tunnel], admissions: [] };
    const elsewhere = { tunnels: [{ ...task.tunnel, deviceId: rival.id }], admissions: [] };
    expect(await here.tunnels.setTunnels(here.id, order)).toEqual({ takenPorts: [] });
    expect(await here.tunnels.setTunnels(there.id, order)).toEqual({ takenPorts: [] });
    expect(await here.tunnels.setTunnels(rival.id, elsewhere)).toEqual({ takenPorts: [task.port] });
    expect(here.tunnels.status()).toMatchObject([{ deviceId: there.id, owners: [here.id, there.id] }]);

    const client = await dial(task.port);
    client.write("x");
    await readSome(client);
    await here.tunnels.forget(here.id);
    expect(here.tunnels.status()).toMatchObject([{ deviceId: there.id, owners: [there.id], connections: 1 }]);
    const gone = broken(client);
    await here.tunnels.forget(there.id);
    expect(here.tunnels.status()).toMatchObject([{ deviceId: rival.id, owners: [rival.id] }]);
    expect(await gone).toBe("ECONNRESET");
  });

  test("an owner replaces what it said: what stays goes on, what is gone is freed", async () => {
    const [kept, dropped, added] = [
      await there.addTask(echo),
      await there.addTask(echo),
      await there.addTask(echo),
    ];
    await here.tunnels.setTunnels(here.id, { tunnels: [kept.tunnel, dropped.tunnel], admissions: [] });
    const [staying, leaving] = [await dial(kept.port), await dial(dropped.port)];
    for (const client of [staying, leaving]) {
      client.write("x");
      await readSome(client);
    }
    const gone = broken(leaving);
    await here.tunnels.setTunnels(here.id, { tunnels: [added.tunnel, kept.tunnel], admissions: [] });
    expect(await gone).toBe("ECONNRESET");
    staying.write("still here");
    expect(await readSome(staying)).toBe("still here");
    await expect(dial(dropped.port)).rejects.toThrow("ECONNREFUSED");
    expect(here.tunnels.status().map(({ port }) => port)).toEqual(
      [kept.port, added.port].sort((a, b) => a - b),
    );
    staying.destroy();
  });

  test("a port that another program has is reported, and taken when it is free", async () => {
    const task = await there.addTask(echo);
    const program = createServer();
    await new Promise<void>((resolve) => program.listen(task.port, "0.0.0.0", resolve));
    const order = { tunnels: [task.tunnel], admissions: [] };
    expect(await here.tunnels.setTunnels(here.id, order)).toEqual({ takenPorts: [task.port] });
    await new Promise((resolve) => program.close(resolve));
    expect(await here.tunnels.setTunnels(here.id, order)).toEqual({ takenPorts: [] });
  });

  test("a task of this machine keeps its port, and tunnels to this machine itself are passed over", async () => {
    const [mine, theirs] = [await here.addTask(echo), await there.addTask(echo)];
    const tunnels = [mine.tunnel, theirs.tunnel];
    expect(await here.tunnels.setTunnels(here.id, { tunnels, admissions: [] })).toEqual({ takenPorts: [] });
    expect(here.tunnels.status().map(({ port }) => port)).toEqual([theirs.port]);
    const conflict = [{ ...theirs.tunnel, port: mine.port }];
    expect(await here.tunnels.setTunnels(here.id, { tunnels: conflict, admissions: [] })).toEqual({
      takenPorts: [mine.port],
    });
  });

  test("ports that are none, or there twice, are refused", async () => {
    const task = await there.addTask(echo);
    for (const tunnels of [[{ ...task.tunnel, port: 70_000 }], [task.tunnel, task.tunnel]]) {
      await expect(here.tunnels.setTunnels(here.id, { tunnels, admissions: [] })).rejects.toThrow(
        ProblemError,
      );
    }
  });

  test("closing frees the ports", async () => {
    const task = await there.addTask(echo);
    await here.tunnels.setTunnels(here.id, { tunnels: [task.tunnel], admissions: [] });
    const client = await dial(task.port);
    const gone = broken(client);
    await here.tunnels.close();
    expect(await gone).toBe("ECONNRESET");
    await expect(dial(task.port)).rejects.toThrow("ECONNREFUSED");
  });
});
