import { expect, it } from "vitest";
import type { Participant } from "../../../../main/runs/participants.js";
import { variableHolders } from "../../../../main/runs/variables/variable-holders.js";
import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";

const task = (job: string, index: number): Participant => ({
  ...{ id: `id of ${job}/${index}`, name: `${job}/${index}`, job, index, engine: "portable" },
  ...{ address: "", state: "running", devices: [], incarnation: "1", unusable: undefined },
});

const members = [task("ps", 0), task("worker", 0), task("worker", 1)];
const [ps, worker0, worker1] = members.map(({ id }) => id);

const holders = (...nodes: readonly [op: string, device: string][]) =>
  variableHolders(
    new Map(
      nodes.map(([op, device], index) => [`n${index}`, NodeDef.create({ name: `n${index}`, op, device })]),
    ),
    { members, master: task("worker", 0) },
  ).toSorted();

it("variables are on the tasks that they are pinned to, and otherwise on the master", () => {
  expect(holders(["Const", "/job:worker/task:1"], ["AddV2", ""])).toEqual([]);
  expect(holders(["VarHandleOp", "/job:ps/task:0"], ["VariableV2", "/job:ps/task:0"])).toEqual([ps]);
  expect(holders(["VarHandleOp", "/job:worker/task:1/device:CPU:0"], ["VarHandleOp", ""])).toEqual([
    worker0,
    worker1,
  ]);
  expect(holders(["VarHandleOp", "/job:ps"], ["VarHandleOp", "/device:GPU:0"])).toEqual([ps, worker0]);
});
