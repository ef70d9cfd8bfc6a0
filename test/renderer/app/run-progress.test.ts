import { describe, expect, it } from "vitest";
import type { RunUpdate } from "../../../main/api/runs.js";
import { paceFacts } from "../../../renderer/app/run-progress.js";

const run: RunUpdate = {
  ...{ runId: "r", state: "running", step: 0, steps: 1000, trace: false, elapsedMillis: 0, currentMillis: 0 },
  ...{ fetches: [], nodes: [], transfers: [] },
};

describe("the pace of a run", () => {
  it("is the time since the click while there is no step, from one second on", () => {
    expect(paceFacts(run, 900)).toEqual([]);
    expect(paceFacts(run, 12_900)).toEqual(["12 s"]);
  });

  it("has what is left first and the speed behind it", () => {
    expect(paceFacts({ ...run, step: 250, elapsedMillis: 3000 }, 12)).toEqual(["9 s left", "83 steps/s"]);
    expect(paceFacts({ ...run, step: 10, elapsedMillis: 10_000 }, 400)).toEqual([
      "17 min left",
      "1.0 steps/s",
    ]);
  });

  it("has how long a step takes that sends no news", () => {
    expect(paceFacts({ ...run, step: 10, elapsedMillis: 100 }, 65_000)).toEqual([
      ...["1 min 5 s in this step", "10 s left", "100 steps/s"],
    ]);
  });
});
