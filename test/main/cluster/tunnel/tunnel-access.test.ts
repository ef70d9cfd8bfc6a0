import type { TLSSocket } from "node:tls";
import { beforeEach, describe, expect, test } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { TunnelAnswer } from "../../../../main/cluster/tunnel/tunnel-protocol.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import { dialAgent } from "../../../../main/peers/port/dial-agent.js";
import { isTaskPort } from "../../../../main/tasks/task-ports.js";
import { until } from "../../support/until.js";
import { broken, dial, echo, readAll, readSome, silenced } from "./support/clients.js";
import { pair, type TunnelMachine, trusts } from "./support/machines.js";
import { twoMachines } from "./support/two-machines.js";

const machines = twoMachines();
const { machine } = machines;
let here: TunnelMachine;
let there: TunnelMachine;

beforeEach(() => {
  ({ here, there } = machines);
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
    // As many as it needs: it was vouched for, though it is not paired.
    const more = await Promise.all(Array.from({ length: 100 }, () => dial(task.port)));
    const answers = more.map((connection) => {
      connection.write("again");
      return readSome(connection);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["again"]));
    for (const connection of more) connection.destroy();

    // The owner's word holds only as long as it may say something.
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
