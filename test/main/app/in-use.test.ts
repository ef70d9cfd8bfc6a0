import { describe, expect, it } from "vitest";
import { inUse, inUseLines, isAnythingInUse } from "../../../main/app/in-use.js";

const OWN = "own";
const facts = {
  ownId: OWN,
  tasks: [],
  uses: [],
  nameOf: (deviceId: string) => (deviceId === "other" ? "gpu-pc" : undefined),
  run: undefined,
};
const task = (
  index: number,
  owner: string,
  state: "running" | "starting" | "stopped" | "failed" = "running",
) => ({
  job: "worker",
  index,
  owner,
  state,
  port: 2222 + index,
});
const run = (state: "running" | "preparing" | "done", millis: number) => ({
  state,
  elapsedMillis: millis,
  currentMillis: 0,
});

describe("what is in use", () => {
  it("is nothing while only this machine has tasks and no run takes long", () => {
    const used = inUse({
      ...facts,
      tasks: [task(0, OWN), task(1, OWN, "stopped")],
      run: run("running", 9_999),
    });
    expect(used).toEqual({ tasks: [], ownTasks: ["worker/0"] });
    expect(isAnythingInUse(used)).toBe(false);
  });

  it("are tasks that another machine has here, named by their owner, unless they have ended", () => {
    const used = inUse({
      ...facts,
      tasks: [task(0, "other"), task(1, "other", "failed"), task(2, "gone", "starting"), task(3, OWN)],
    });
    expect(isAnythingInUse(used)).toBe(true);
    expect(inUseLines(used)).toEqual([
      "worker/0, which gpu-pc uses",
      "worker/2, which a machine that is no longer paired uses",
    ]);
  });

  it("are this machine's own tasks that others are connected to, once for each machine", () => {
    const used = inUse({
      ...facts,
      tasks: [task(0, OWN), task(1, OWN), task(2, "other"), task(3, OWN, "failed")],
      uses: [
        { deviceId: "other", port: 2222 },
        { deviceId: "other", port: 2222 },
        { deviceId: OWN, port: 2223 },
        { deviceId: "other", port: 2224 },
        { deviceId: "other", port: 2225 },
      ],
    });
    expect(inUseLines(used)).toEqual(["worker/0, which gpu-pc uses", "worker/2, which gpu-pc uses"]);
    expect(used.ownTasks).toEqual(["worker/0", "worker/1"]);
  });

  it("is a run that has taken long, also before its first step, until it is over", () => {
    const lines = (given: ReturnType<typeof run>) => inUseLines(inUse({ ...facts, run: given }));
    expect(lines(run("running", 10_000))).toEqual(["a run that has taken 10 s"]);
    expect(lines({ ...run("preparing", 0), currentMillis: 180_000 })).toEqual(["a run that has taken 3 min"]);
    expect(lines(run("done", 1e9))).toEqual([]);
  });
});
