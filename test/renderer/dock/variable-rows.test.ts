import { describe, expect, it } from "vitest";
import type { VariableState } from "../../../main/api/variables.js";
import { variableRows } from "../../../renderer/dock/variables/variable-rows.js";
import type { Variable } from "../../../renderer/document/variables.js";

const variable = (name: string, device = ""): Variable => ({
  ...{ name, device, dtype: "float32", shape: [2], byteLength: 8 },
});
const VARIABLES = [
  variable("w", "/job:worker/task:10"),
  variable("b", "/job:worker/task:2"),
  variable("step"),
];
const NO_STATES: ReadonlyMap<string, VariableState> = new Map();
const rows = (more: Partial<Parameters<typeof variableRows>[0]> = {}) =>
  variableRows({ variables: VARIABLES, states: NO_STATES, search: "", closed: new Set(), ...more }).map(
    (row) => (row.kind === "group" ? `${row.task ?? "?"}: ${row.count}` : row.variable.name),
  );

describe("the rows of the variables", () => {
  it("stand under their tasks, in the order of the tasks; those without a task come last", () => {
    expect(rows()).toEqual(["worker/2: 1", "b", "worker/10: 1", "w", "?: 1", "step"]);
  });

  it("stand under the task that was measured, whatever they are pinned to", () => {
    const device = "/job:worker/replica:0/task:2/device:CPU:0";
    const states = new Map([["step", { name: "step", initialized: true, device }]]);
    expect(rows({ states })).toEqual(["worker/2: 2", "b", "step", "worker/10: 1", "w"]);
  });

  it("are found by name, type and task, and hidden with their task", () => {
    expect(rows({ search: " WORKER/10 " })).toEqual(["worker/10: 1", "w"]);
    expect(rows({ search: "st" })).toEqual(["?: 1", "step"]);
    expect(rows({ search: "int" })).toEqual([]);
    expect(rows({ closed: new Set(["worker/2", ""]) })).toEqual(["worker/2: 1", "worker/10: 1", "w", "?: 1"]);
  });
});
