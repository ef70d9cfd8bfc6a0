import { describe, expect, it } from "vitest";
import type { ScriptStrategy } from "../../../main/api/scripts.js";
import { joinArguments, splitArguments } from "../../../renderer/scripts/arguments.js";
import {
  firstTasks,
  missingRole,
  roleName,
  roleRows,
  tfConfigText,
  withRole,
} from "../../../renderer/scripts/script-plan.js";
import { machineOf } from "../support/cluster-states.js";

const strategy = (kind: ScriptStrategy["kind"]): ScriptStrategy => ({
  ...{ kind, name: kind, line: 1, readsFlags: false },
});
const laptop = machineOf("laptop");
const gpuPc = machineOf("gpu-pc", {
  ...{ kind: "paired", role: "run" },
  gpus: [{ index: 0, name: "RTX 4070", memoryBytes: 12e9 }],
});
const seenOnly = machineOf("pi", { kind: "paired", role: "view" });

const places = (kind: ScriptStrategy["kind"], machines = [laptop, gpuPc, seenOnly]) =>
  firstTasks(strategy(kind), machines).map((task) => `${roleName(task)} ${task.machineId}`);

describe("the tasks that are proposed", () => {
  it("are those that the strategy needs, with a worker on every machine that takes tasks", () => {
    expect(places("multi-worker")).toEqual(["worker/0 laptop", "worker/1 gpu-pc"]);
    expect(places("parameter-server")).toEqual([
      ...["chief/0 laptop", "worker/0 laptop", "worker/1 gpu-pc", "ps/0 laptop"],
    ]);
    expect(places("multi-worker", [laptop])).toEqual(["worker/0 laptop", "worker/1 laptop"]);
  });

  it("are one, where the most GPUs are, for a script that runs on one machine", () => {
    expect(places("one-machine")).toEqual(["worker/0 gpu-pc"]);
    expect(firstTasks(undefined, [seenOnly])).toEqual([]);
  });
});

describe("the roles", () => {
  const workers = firstTasks(strategy("multi-worker"), [laptop, gpuPc]);

  it("offer one more of each job, and show what the strategy does not use", () => {
    expect(roleRows(workers, strategy("multi-worker")).map((row) => [roleName(row), row.isUnused])).toEqual([
      ["worker/0", false],
      ["worker/1", false],
      ["worker/2", false],
      ["ps/0", true],
    ]);
  });

  it("are added, moved and taken away without gaps", () => {
    const more = withRole(workers, { job: "ps", index: 0 }, { machineId: "laptop", device: "cpu" });
    expect(more.at(-1)).toEqual({ job: "ps", index: 0, machineId: "laptop", device: "cpu" });
    const less = withRole(more, { job: "worker", index: 0 }, undefined);
    expect(less.map((task) => `${roleName(task)} ${task.machineId}`)).toEqual([
      "worker/0 gpu-pc",
      "ps/0 laptop",
    ]);
  });

  it("must be complete for parameter servers", () => {
    expect(missingRole([], undefined)).toBe("none");
    expect(missingRole(workers, strategy("multi-worker"))).toBeUndefined();
    expect(missingRole(workers, strategy("parameter-server"))).toBe("chief");
  });

  it("make TF_CONFIG, which the only task does not get", () => {
    expect(JSON.parse(tfConfigText(workers, "worker/1") ?? "")).toEqual({
      cluster: { worker: ["localhost:2222", "localhost:2223"] },
      task: { type: "worker", index: 1 },
    });
    expect(tfConfigText(workers.slice(0, 1), "worker/0")).toBeUndefined();
  });
});

describe("the arguments of a script", () => {
  it.each([
    ["", []],
    ["--epochs 12  --batch 64", ["--epochs", "12", "--batch", "64"]],
    [`--name "two words" 'a "b"' ''`, ["--name", "two words", 'a "b"', ""]],
    [String.raw`C:\data\x "a \"b\" \\"`, [String.raw`C:\data\x`, String.raw`a "b" \ `.trimEnd()]],
  ])("%s", (line, args) => {
    expect(splitArguments(line)).toEqual(args);
    expect(splitArguments(joinArguments(args))).toEqual(args);
  });
});
