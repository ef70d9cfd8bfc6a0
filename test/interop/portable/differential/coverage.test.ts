/** The rules of the differential harness itself. */
import { describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { constant, graphOf, placeholder, typed } from "../../peers/nodes.js";
import { type Case, exact } from "./case.js";
import { caseFailures } from "./case-failures.js";
import { Coverage } from "./coverage.js";
import type { Outcome } from "./evaluate.js";
import { retyped } from "./retyped.js";
import { readSettings } from "./settings.js";

const values = (...list: Tensor[]): Outcome => ({ kind: "values", values: list });
const refusal: Outcome = {
  kind: "error",
  code: "INVALID_ARGUMENT",
  message: "No OpKernel was registered to support Op 'Neg' used by {{node y}}",
};
const one = values(Tensor.of(1, "float32"));

/** y = -x twice over: the second time of a constant. */
function negation(feeds: Readonly<Record<string, Tensor>> = {}): Case {
  return {
    name: "negation",
    text: "negation",
    graph: graphOf(
      placeholder("p", "float32"),
      typed("x", "Identity", ["p"], "float32"),
      typed("y", "Neg", ["x"], "float32"),
      constant("c", 2, "float32"),
      typed("z", "Neg", ["c"], "float32"),
    ),
    steps: [
      { fetches: ["y:0"], targets: [], feeds },
      { fetches: ["z:0"], targets: [], feeds: {} },
    ],
    tolerance: exact,
    sharesGraph: false,
    optimized: false,
  };
}

describe("what was compared", () => {
  const registered = new Map([
    ["Neg", new Set(["Neg T=float32", "Neg T=int32"])],
    ["Identity", new Set(["Identity T=float32"])],
    ["Abort", new Set(["Abort"])],
  ]);

  test("is what the steps ran that had values: not what an error or a fed tensor left out", () => {
    const coverage = new Coverage(registered);
    expect(coverage.uncovered({})).toEqual(["Neg T=float32 T=int32", "Identity T=float32", "Abort"]);
    coverage.add(negation({ "x:0": Tensor.of(1, "float32") }), [one, one]);
    coverage.add(negation({ "p:0": Tensor.of(1, "float32") }), [refusal, one]);
    expect(coverage.uncovered({})).toEqual(["Neg T=int32", "Identity T=float32", "Abort"]);
    coverage.add(negation({ "p:0": Tensor.of(1, "float32") }), [one, refusal]);
    expect(coverage.uncovered({})).toEqual(["Neg T=int32", "Abort"]);
  });

  test("leaves exceptions, each of which must be needed", () => {
    const coverage = new Coverage(registered);
    coverage.add(negation({ "p:0": Tensor.of(1, "float32") }), [one, one]);
    const needed = { "Neg T=int32": "a reason", "Abort *": "a reason" };
    expect(coverage.uncovered(needed)).toEqual([]);
    expect(
      coverage.uncovered({ ...needed, "Neg T=float32": "compared", "Gone *": "not registered" }),
    ).toEqual(['The exception "Neg T=float32" is not needed.', 'The exception "Gone *" is not needed.']);
  });
});

describe("a case", () => {
  const refused = { ...negation(), noKernel: "a reason" };

  test("for which TensorFlow has no kernel fails unless it says why, however alike the errors are", () => {
    expect(caseFailures(negation(), [refusal, one], [refusal, one])).toEqual([
      expect.stringContaining("TensorFlow has no kernel for it, and the case does not say why"),
    ]);
    expect(caseFailures(refused, [refusal, one], [refusal, one])).toEqual([]);
  });

  test("that says so of a kernel that TensorFlow has fails", () => {
    expect(caseFailures(refused, [one, one], [one, one])).toEqual([
      expect.stringContaining("it says that TensorFlow has no kernel (a reason), and TensorFlow has one"),
    ]);
  });

  test("fails where a step has no outcome, or a process died of it", () => {
    expect(caseFailures(negation(), [one, one], [one])).toEqual([expect.stringContaining("no outcome")]);
    const died: Outcome = { kind: "died", lastLines: "Check failed" };
    expect(caseFailures(negation(), [died], [died])).toHaveLength(2);
  });
});

describe("a case of another dtype", () => {
  const kernels = createKernelRegistry();

  test("has constants and feeds of that dtype, everywhere or where edges join them", () => {
    const fed = negation({ "p:0": Tensor.of(1.5, "float32") });
    const everywhere = retyped(fed, { from: "float32", to: "int32" }, kernels);
    expect(everywhere?.steps[0]?.feeds["p:0"]?.dtype).toBe("int32");
    expect(
      everywhere?.graph.node.map(({ attr }) => (attr.get("T") ?? attr.get("dtype"))?.value?.value),
    ).toEqual(new Array(5).fill(3));
    const part = retyped(fed, { from: "float32", to: "int32", only: "/z T" }, kernels);
    expect(part?.steps[0]?.feeds["p:0"]?.dtype).toBe("float32");
    expect(part?.graph.node.map(({ attr }) => (attr.get("T") ?? attr.get("dtype"))?.value?.value)).toEqual([
      1, 1, 1, 3, 3,
    ]);
  });

  test("is none where the engine has no kernel for it", () => {
    expect(retyped(negation(), { from: "float32", to: "string" }, kernels)).toBeUndefined();
    expect(retyped(negation(), { from: "float64", to: "int32" }, kernels)).toBeUndefined();
  });
});

describe("the form of a run", () => {
  test("is short with always the same cases, or long with new ones, which can be repeated", () => {
    expect(readSettings({})).toMatchObject({ count: 2, seed: 5 });
    const long = readSettings({ TENSORDECK_DIFFERENTIAL: "long" }, () => 0.25);
    expect(long).toMatchObject({ count: 50, seed: 2 ** 29 });
    expect(readSettings({ TENSORDECK_DIFFERENTIAL: "long" }, () => 0.5).seed).not.toBe(long.seed);
    const again = Object.fromEntries(long.repeat.split(" ").map((part) => part.split("=")));
    expect(readSettings(again)).toMatchObject({ count: long.count, seed: long.seed });
  });

  test("is refused for what is no number and no form", () => {
    expect(() => readSettings({ TENSORDECK_SEED: "x" })).toThrow("TENSORDECK_SEED");
    expect(() => readSettings({ TENSORDECK_DIFFERENTIAL: "huge" })).toThrow('"short" or "long"');
  });
});
