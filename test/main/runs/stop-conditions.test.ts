import { describe, expect, it } from "vitest";
import type { StopCondition } from "../../../main/api/runs.js";
import { isBetter, StopConditions } from "../../../main/runs/stop-conditions.js";
import type { NamedTensor } from "../../../main/runs/tensors/tensor-store.js";
import { isTraced } from "../../../main/runs/trace-summary.js";
import { tensorFromText } from "../../../worker-runtime/io/literal.js";

const metStop = (stops: readonly StopCondition[], results: readonly NamedTensor[]) =>
  new StopConditions(stops).met(results);
const result = (name: string, text: string) => ({ name, tensor: tensorFromText(text, "float32") });

describe("a run stops early", () => {
  const below = { kind: "below", tensor: "loss:0", value: 0.5 } as const;
  const above = { kind: "above", tensor: "accuracy:0", value: 0.9 } as const;
  const notFinite = { kind: "not-finite", tensor: "loss:0" } as const;

  it("when a scalar falls below or rises above a limit, or is not a number", () => {
    expect(metStop([below], [result("loss:0", "0.5")])).toBeUndefined();
    expect(metStop([below, above], [result("loss:0", "0.25")])).toBe("loss:0 fell below 0.5");
    expect(metStop([below, above], [result("accuracy:0", "0.95")])).toBe("accuracy:0 rose above 0.9");
    expect(metStop([below, notFinite], [result("loss:0", "nan")])).toBe("loss:0 became NaN");
    expect(metStop([notFinite], [result("loss:0", "inf")])).toBe("loss:0 became infinite");
  });

  it("when a value was not better by enough for so many fetches", () => {
    const stuck = (mode: "min" | "max", minDelta: number, values: readonly string[]) => {
      const stops = new StopConditions([
        { kind: "no-improvement", tensor: "v:0", mode, patience: 2, minDelta },
      ]);
      return values.map((value) => stops.met([result("v:0", value)]));
    };
    const none = undefined;
    expect(stuck("min", 0, ["4", "3", "3", "2", "5", "nan"])).toEqual([
      ...[none, none, none, none, none],
      "v:0 did not improve on 2 in 2 values",
    ]);
    expect(stuck("max", 0.5, ["1", "1.5", "1.4"])).toEqual([
      none,
      none,
      "v:0 did not improve on 1 in 2 values",
    ]);
    // Values that are no numbers are never the best.
    expect(stuck("max", 0, ["nan", "1", "2", "3"])).toEqual([none, none, none, none]);
    // Steps that do not fetch it, as between two evaluations, do not count.
    const stops = new StopConditions([
      { kind: "no-improvement", tensor: "v:0", mode: "min", patience: 1, minDelta: 0 },
    ]);
    const other = [result("w:0", "1")];
    const steps = [[result("v:0", "1")], other, other, [result("v:0", "1")]];
    expect(steps.map((results) => stops.met(results))).toEqual([
      ...[none, none, none],
      "v:0 did not improve on 1 in the next value",
    ]);
    expect(isBetter("min", Number.NEGATIVE_INFINITY, 0)).toBe(true);
  });

  it("never because of a tensor of several elements, or one that was not fetched", () => {
    expect(metStop([below], [result("loss:0", "[0.1, 0.2]"), result("other:0", "0")])).toBeUndefined();
  });
});

describe("the steps that are traced", () => {
  const traced = (steps: number, trace: boolean, traceEvery?: number) =>
    Array.from({ length: steps }, (_, index) => index + 1).filter((step) =>
      isTraced(step, { steps, trace, traceEvery }),
    );

  it("are the first and a warm one, all of a short run, or one in so many", () => {
    expect(traced(1, false)).toEqual([1]);
    expect(traced(5, false)).toEqual([1, 5]);
    expect(traced(500, false)).toEqual([1, 20]);
    expect(traced(3, true)).toEqual([1, 2, 3]);
    expect(traced(120, true)).toEqual([1, 20, 50, 100, 120]);
    expect(traced(120, true, 50)).toEqual([1, 20, 51, 101]);
    expect(traced(4, false, 2)).toEqual([1, 4]);
  });
});
