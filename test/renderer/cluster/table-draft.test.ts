import { describe, expect, test } from "vitest";
import type { ClusterState, Machine, Task } from "../../../main/api/cluster.js";
import {
  addRow,
  changesText,
  draftChanges,
  draftOf,
  draftProblems,
  importRows,
  rowsToApply,
  rowsToKeep,
} from "../../../renderer/cluster/table-draft.js";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";

function task(id: string, job: string, index: number, address: string): Task {
  return {
    id,
    job,
    index,
    address,
    engine: "tensorflow",
    gpu: "auto",
    foreign: false,
    state: "running",
    colour: 0,
    devices: [],
  };
}

function machine(id: string, name: string, kind: Machine["kind"], tasks: Task[]): Machine {
  return {
    id,
    name,
    kind,
    presence: "online",
    platform: "linux",
    osName: "",
    arch: "x64",
    cores: 4,
    memoryBytes: 1,
    gpus: [],
    addresses: [`10.0.0.${id.length}`],
    version: "",
    engines: [],
    tasks,
  };
}

const state: ClusterState = {
  membership: "dynamic",
  access: "open",
  exposures: [],
  discovery: { state: "on" },
  machines: [
    machine("m", "gpu-pc", "this", [
      task("t0", "worker", 0, "gpu-pc:2222"),
      task("t1", "ps", 0, "gpu-pc:2223"),
    ]),
    machine("mm", "pi", "paired", []),
    machine("mmm", "unpaired", "discovered", []),
  ],
};

describe("the draft of the cluster table", () => {
  test("begins with the live tasks and what the document wants beside them", () => {
    const wanted = [
      { job: "worker", index: 0, machine: "pi", address: "", engine: "portable", gpu: "auto" },
      { job: "worker", index: 1, machine: "pi", address: "pi:2222", engine: "portable", gpu: "none" },
      { job: "worker", index: 2, machine: "unknown", address: "", engine: "tensorflow", gpu: "auto" },
    ] as const;
    const rows = draftOf(state, wanted);
    expect(rows.map(({ job, index, machineId }) => [job, index, machineId])).toEqual([
      ["worker", 0, "m"],
      ["ps", 0, "m"],
      ["worker", 1, "mm"],
      ["worker", 2, ""],
    ]);
    expect(draftProblems(rows, state).map(({ row, field }) => [row, field])).toEqual([[3, "machine"]]);
  });

  test("an untouched draft changes nothing", () => {
    const rows = draftOf(state, []);
    expect(draftChanges(rows, state)).toEqual({ start: [], restart: [], stop: [] });
    expect(changesText(draftChanges(rows, state))).toBe("The cluster matches the table.");
  });

  test("says what is started, restarted and stopped", () => {
    const [worker, ...rest] = draftOf(state, []);
    if (!worker) throw new Error("no row");
    const rows = addRow([{ ...worker, machineId: "mm", address: "" }], state);
    expect(rest).toHaveLength(1);
    expect(changesText(draftChanges(rows, state))).toBe(
      "worker/1 starts; worker/0 restarts and loses its variables; ps/0 stops.",
    );
  });

  test("takes another port for a change, another name of the machine for none", () => {
    const changesTo = (address: string) => {
      const [worker, ...rest] = draftOf(state, []);
      if (!worker) throw new Error("no row");
      return draftChanges([{ ...worker, address }, ...rest], state).restart;
    };
    expect(changesTo("gpu-pc:2299")).toEqual(["worker/0"]);
    expect(changesTo("localhost:2222")).toEqual([]);
    expect(changesTo("")).toEqual([]);
  });

  test("gives each port of a secure cluster once, whatever the host is called", () => {
    const secure: ClusterState = { ...state, access: "secure" };
    const rows = draftOf(secure, []);
    const twin = addRow(rows, secure).map((row) =>
      row.taskId ? row : { ...row, address: "127.0.0.1:2222" },
    );
    expect(draftProblems(rows, secure)).toEqual([]);
    expect(draftProblems(twin, secure)).toMatchObject([{ row: 2, field: "address" }]);
  });

  test("leaves what is to be chosen out of the request, and names machines in the document", () => {
    const rows = addRow(draftOf(state, []).slice(0, 1), state);
    expect(rowsToApply(rows)).toEqual([
      {
        taskId: "t0",
        job: "worker",
        index: 0,
        machineId: "m",
        address: "gpu-pc:2222",
        engine: "tensorflow",
        gpu: "auto",
      },
      { job: "worker", index: 1, machineId: "m", engine: "tensorflow", gpu: "auto" },
    ]);
    expect(rowsToKeep(rows, state).map((row) => row.machine)).toEqual(["gpu-pc", "gpu-pc"]);
  });

  test("an imported cluster keeps tasks that are there and finds machines by their addresses", () => {
    const cluster = ClusterSpec.from({ worker: ["gpu-pc:2222", "10.0.0.2:2222", "far.example.com:2222"] });
    const rows = importRows(draftOf(state, []), cluster, state);
    expect(rows.map(({ taskId, machineId }) => [taskId, machineId])).toEqual([
      ["t0", "m"],
      [undefined, "mm"],
      [undefined, ""],
    ]);
    expect(draftChanges(rows, state)).toEqual({
      start: ["worker/1", "worker/2"],
      restart: [],
      stop: ["ps/0"],
    });
  });
});
