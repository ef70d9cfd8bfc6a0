import { describe, expect, it } from "vitest";
import { metStop } from "../../../main/runs/stop-conditions.js";
import { isTraced } from "../../../main/runs/trace-summary.js";
import { tensorFromText } from "../../../worker-runtime/io/literal.js";

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

  it("never because of a tensor of several elements, or one that was not fetched", () => {
    expect(metStop([below], [result("loss:0", "[0.1, 0.2]"), result("other:0", "0")])).toBeUndefined();
  });
});

describe("the steps that are traced", () => {
  const traced = (steps: number, trace: boolean, traceEvery?: number) =>
    Array.from({ length: steps }, (_, index) => index + 1).filter((step) =>
      isTraced(step, { steps, trace, traceEvery }),
    );

  it("are the first, all of a short run, or one in so many", () => {
    expect(traced(5, false)).toEqual([1]);
    expect(traced(3, true)).toEqual([1, 2, 3]);
    expect(traced(120, true)).toEqual([1, 50, 100, 120]);
    expect(traced(120, true, 50)).toEqual([1, 51, 101]);
    expect(traced(4, false, 2)).toEqual([1]);
  });
});
