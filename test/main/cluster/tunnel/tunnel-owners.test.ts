import { createServer } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { broken, dial, echo, readSome } from "./support/clients.js";
import { pair, type TunnelMachine } from "./support/machines.js";
import { twoMachines } from "./support/two-machines.js";

const machines = twoMachines();
const { machine } = machines;
let here: TunnelMachine;
let there: TunnelMachine;

beforeEach(() => {
  ({ here, there } = machines);
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
