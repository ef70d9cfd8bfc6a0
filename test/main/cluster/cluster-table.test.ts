import { afterEach, describe, expect, it } from "vitest";
import type { ClusterRow } from "../../../main/api/cluster.js";
import { ProblemError } from "../../../main/api/wire.js";
import { type MemoryCluster, memoryCluster } from "../support/memory-cluster.js";
import { until } from "../support/until.js";

const open: MemoryCluster[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ cluster }) => cluster.dispose()));
});

/** ps/0 and worker/0 here, worker/1 on gpu-pc. */
async function make(): Promise<MemoryCluster> {
  const made = memoryCluster([{ id: "gpu-pc", addresses: ["10.0.0.2"] }], {
    openProbe: (address) => ({
      check: async () => {
        if (address.startsWith("silent")) throw new Error("nothing there");
        const device = { type: "CPU", memoryLimitBytes: 1, description: "" };
        return {
          devices: [{ ...device, name: "/job:local/replica:0/task:0/device:CPU:0" }],
          incarnation: "f",
        };
      },
      close: () => undefined,
    }),
  });
  open.push(made);
  await made.cluster.addTasks({ job: "ps", count: 1 });
  await made.cluster.addTasks({ job: "worker", count: 1 });
  await made.cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
  await made.running();
  return made;
}

const fresh = (row: Partial<ClusterRow>): ClusterRow => ({
  ...{ job: "worker", index: 0, engine: "tensorflow", gpu: "auto" },
  ...row,
});

async function refusal(made: MemoryCluster, rows: ClusterRow[]) {
  const before = made.names();
  const error = await made.cluster.applyTable(rows).catch((thrown: unknown) => thrown);
  expect(made.names()).toEqual(before);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

describe("the cluster table", () => {
  it("changes nothing where nothing is changed", async () => {
    const made = await make();
    const lives = made.cluster.tasks().map(({ incarnation }) => incarnation);
    await made.cluster.applyTable(["ps/0", "worker/0", "worker/1"].map((name) => made.row(name)));
    expect(made.cluster.tasks().map(({ incarnation }) => incarnation)).toEqual(lives);
  });

  it("removes, adds, renames and moves tasks, which keep their id and colour", async () => {
    const made = await make();
    const { cluster, names, row, task, running } = made;
    const [, , moved] = cluster.tasks();
    const kept = cluster.tasks()[1]?.incarnation;
    await cluster.applyTable([
      row("worker/0"),
      row("worker/1", { index: 5, machineId: "here" }),
      fresh({ job: "chief", machineId: "gpu-pc", gpu: [2] }),
    ]);
    await running();
    expect(names()).toEqual(["worker/0 on here", "worker/5 on here", "chief/0 on gpu-pc"]);
    expect(task("worker/5")).toMatchObject({ id: moved?.id, colour: moved?.snapshot.colour });
    expect(task("worker/5").notice).toBeUndefined();
    expect(task("chief/0").gpu).toEqual([2]);
    expect(cluster.tasks()[0]?.incarnation).toBe(kept);
  });

  it("lets two tasks change places", async () => {
    const { cluster, names, row, running } = await make();
    await cluster.applyTable([row("ps/0"), row("worker/0", { index: 1 }), row("worker/1", { index: 0 })]);
    await running();
    expect(names()).toEqual(["ps/0 on here", "worker/1 on here", "worker/0 on gpu-pc"]);
  });

  it("gives a task the port that was typed, or says that it is taken", async () => {
    const made = await make();
    const { cluster, row, task, host, running } = made;
    await cluster.applyTable([row("ps/0"), row("worker/0"), row("worker/1", { address: "gpu-pc:2933" })]);
    await running();
    expect(task("worker/1").address).toBe("localhost:2933");
    host("gpu-pc").takenPorts.add(2944);
    const rows = [
      row("ps/0"),
      row("worker/0"),
      row("worker/1"),
      fresh({ index: 2, machineId: "gpu-pc", address: "gpu-pc:2944" }),
    ];
    expect((await refusal(made, rows)).message).toBe("Port 2944 is taken.");
    // A task that cannot be what it should be is what it was.
    const moved = [
      row("ps/0"),
      row("worker/0", { machineId: "gpu-pc", address: "gpu-pc:2944" }),
      row("worker/1"),
    ];
    expect((await refusal(made, moved)).message).toBe("Port 2944 is taken.");
    await running();
  });

  it("takes typed ports of tasks only, which the other machines listen at, too", async () => {
    const made = await make();
    const rows = (port: number) => [
      ...[made.row("ps/0"), made.row("worker/0")],
      made.row("worker/1", { address: `gpu-pc:${port}` }),
    ];
    for (const port of [80, 2379, 5432, 8888]) {
      expect(await refusal(made, rows(port))).toMatchObject({
        message: `worker/1 cannot have port ${port} in a secure cluster.`,
        remedy: expect.stringContaining("2222 to 2999"),
      });
    }
    await made.cluster.setAccess("open");
    await made.cluster.applyTable(rows(8888));
  });

  it("takes in foreign servers, gives them other names and addresses, and forgets them", async () => {
    const { cluster, names, row, task } = await make();
    const ours = () => ["ps/0", "worker/0", "worker/1"].map((name) => row(name));
    await cluster.applyTable([...ours(), fresh({ index: 2, address: "nas:2222" })]);
    expect(names().at(-1)).toBe("worker/2 on foreign:nas");
    expect(cluster.state().machines.at(-1)).toMatchObject({
      id: "foreign:nas",
      kind: "foreign",
      presence: "online",
    });
    const { id } = task("worker/2");
    await cluster.applyTable([...ours(), row("worker/2", { job: "chief", index: 0 })]);
    expect(task("chief/0")).toMatchObject({ id, foreign: true });
    expect(task("chief/0").devices[0]?.name).toBe("/job:chief/replica:0/task:0/device:CPU:0");
    await cluster.applyTable([...ours(), row("chief/0", { address: "10.0.0.2:2300" })]);
    expect(names().at(-1)).toBe("chief/0 on gpu-pc");
    const silent = [row("ps/0"), row("chief/0", { address: "silent:2222" })];
    await expect(cluster.applyTable(silent)).rejects.toThrow("No TensorFlow server answers at silent:2222.");
    expect(names().length).toBe(4);
    await cluster.applyTable([...ours(), row("chief/0", { address: "nas:2300" })]);
    await cluster.forgetHost("foreign:nas");
    expect(names().length).toBe(3);
  });

  it("is refused as a whole for the first row that cannot be", async () => {
    const made = await make();
    const { row } = made;
    const all = ["ps/0", "worker/0", "worker/1"].map((name) => row(name));
    const cases: [ClusterRow[], RegExp][] = [
      [[...all, fresh({ index: 1, machineId: "here" })], /There is already a worker\/1/],
      [[...all, fresh({ index: 2, machineId: "here", address: "localhost:2222" })], /ps\/0 already uses/],
      // In a secure cluster the host is no difference.
      [[...all, fresh({ index: 2, machineId: "gpu-pc", address: "gpu-pc:2222" })], /ps\/0 already uses/],
      [[...all, fresh({ index: 2 })], /needs a machine/],
      [[...all, fresh({ index: 2, address: "nas" })], /needs a port/],
      [[...all, fresh({ index: 2, machineId: "gone" })], /no longer there/],
      [[fresh({ taskId: "gone", machineId: "here" })], /no longer in the cluster/],
    ];
    for (const [rows, message] of cases) expect((await refusal(made, rows)).message).toMatch(message);
    made.machines.change("gpu-pc", { presence: "offline" });
    const offline = [...all, fresh({ index: 2, machineId: "gpu-pc" })];
    expect((await refusal(made, offline)).message).toContain("does not answer");
  });

  it("restarts the others of a fixed cluster, which must know of the change", async () => {
    const { cluster, row, host, running } = await make();
    await cluster.setMembership("fixed");
    await running();
    await cluster.applyTable([
      ...["ps/0", "worker/0", "worker/1"].map((name) => row(name)),
      fresh({ index: 2, machineId: "gpu-pc" }),
    ]);
    expect(cluster.state().notice?.message).toBe(
      "ps/0, worker/0 and worker/1 are restarted, because worker/2 joined.",
    );
    const knows = (id: string) => [...host(id).fixed.values()].every((fixed) => fixed?.cluster.worker?.[2]);
    await until("all know", () => knows("here") && knows("gpu-pc"));
    await running();
  });
});
