import { describe, expect, it } from "vitest";
import { ScalarLog } from "../../../main/runs/scalar-log.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

const loss = (value: number) => [{ name: "loss:0", tensor: Tensor.of(value, "float64") }];

describe("the scalars of a run", () => {
  it("have a point for every step, their extremes, and the steps without a number", () => {
    const log = new ScalarLog();
    [3, 1, Number.NaN, 2].forEach((value, index) => void log.add(index + 1, loss(value)));
    expect(log.curves()).toEqual([
      {
        ...{ name: "loss:0", stepsPerPoint: 1, steps: [1, 2, 3, 4], values: [3, 1, Number.NaN, 2] },
        ...{ low: [3, 1, Number.NaN, 2], high: [3, 1, Number.NaN, 2] },
      },
    ]);
    expect(log.summaries()).toEqual([
      {
        ...{ name: "loss:0", last: 2, notFinite: 1 },
        ...{ lowest: { value: 1, step: 2 }, highest: { value: 3, step: 1 } },
      },
    ]);
  });

  it("are the results of one real element, of any shape", () => {
    const log = new ScalarLog();
    log.add(1, [
      { name: "a:0", tensor: Tensor.of([[7n]]) },
      { name: "b:0", tensor: Tensor.of(true) },
      { name: "c:0", tensor: Tensor.of([1, 2]) },
      { name: "d:0", tensor: Tensor.of("text") },
      { name: "e:0", tensor: Tensor.of({ re: 1, im: 2 }) },
      { name: "f:0", tensor: Tensor.of(1.5, "bfloat16") },
    ]);
    expect(log.summaries().map(({ name, last }) => [name, last])).toEqual([
      ["a:0", 7],
      ["b:0", 1],
      ["f:0", 1.5],
    ]);
  });

  it("take bounded memory: a point then stands for several steps, between their lowest and highest value", () => {
    const log = new ScalarLog();
    const count = 100_000;
    for (let step = 1; step <= count; step++) log.add(step, loss(step % 7 === 0 ? -step : step));
    const [curve] = log.curves();
    expect(curve?.stepsPerPoint).toBe(64);
    expect(curve?.steps).toHaveLength(Math.ceil(count / 64));
    curve?.steps.forEach((step, point) => {
      const first = 64 * point + 1;
      const inPoint = Array.from({ length: step - first + 1 }, (_, i) => first + i);
      const values = inPoint.map((one) => (one % 7 === 0 ? -one : one));
      expect([curve.low[point], curve.high[point], curve.values[point]]).toEqual([
        Math.min(...values),
        Math.max(...values),
        values.at(-1),
      ]);
    });
    expect(curve?.steps.at(-1)).toBe(count);
  });
});
