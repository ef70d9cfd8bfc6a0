import { describe, expect, it } from "vitest";
import { wantedCluster } from "../../../renderer/cluster/wanted-cluster.js";
import type { ClusterConfigRow } from "../../../renderer/document/model.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

function rowOf(name: string, machine: string, address = ""): ClusterConfigRow {
  const { job, index, engine, gpu } = taskOf(name);
  return { job, index, machine, address, engine, gpu };
}

const pc = machineOf("pc", { tasks: [taskOf("worker/0", { address: "127.0.0.1:2222" })] });
const pi = machineOf("pi", { kind: "paired", role: "run" });

describe("wantedCluster", () => {
  it("is content when the cluster has every task of the document", () => {
    expect(wantedCluster(clusterOf([pc]), [rowOf("worker/0", "pc")]).names).toEqual([]);
  });

  it("can start what is missing on machines that take tasks, beside what runs", () => {
    const { names, rows } = wantedCluster(clusterOf([pc, pi]), [
      rowOf("ps/0", "pi"),
      rowOf("worker/0", "pc"),
    ]);
    expect(names).toEqual(["ps/0"]);
    expect(rows?.map(({ job, machineId, taskId }) => [job, machineId, taskId])).toEqual([
      ["worker", "pc", "worker/0"],
      ["ps", "pi", undefined],
    ]);
  });

  it.each([
    ["a machine that is not here", [pc], ""],
    ["a machine that is away", [pc, { ...pi, presence: "offline" as const }], ""],
    ["an address that is taken", [pc, pi], "127.0.0.1:2222"],
  ])("leaves %s to the table", (_what, machines, address) => {
    const wanted = wantedCluster(clusterOf(machines), [rowOf("ps/0", "pi", address)]);
    expect(wanted).toEqual({ names: ["ps/0"] });
  });
});
