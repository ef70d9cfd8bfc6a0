import { describe, expect, test } from "vitest";
import { loggingKernels } from "../../../../../../worker-runtime/engines/portable/kernels/logging/index.js";
import {
  summarizeEnds,
  summarizeFirst,
} from "../../../../../../worker-runtime/engines/portable/kernels/logging/tensor-text.js";
import { withoutPauses } from "../../../../../../worker-runtime/engines/portable/pauses.js";
import { TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { makeKernel, runOnce, testStep } from "../kernel-runner.js";
import type { OpCase } from "../op-case.js";
import { MiniSession, Program } from "../session-programs.js";
import { compareSessions } from "../sessions-against-tensorflow.js";
import { turnsOf } from "../state/turns.js";

const cube = Tensor.of([...Array(24).keys()], "float32", [2, 3, 4]);

async function messageOf(example: OpCase): Promise<string> {
  return runOnce(loggingKernels, example).then(
    () => "",
    (error: unknown) =>
      error instanceof TensorFlowError ? `${error.codeName} ${error.message}` : String(error),
  );
}

const firstElements = (tensor: Tensor, limit: number) => withoutPauses(summarizeFirst(tensor, limit));

// All texts below are what TensorFlow 2.21 printed for the same tensors.
describe("tensors as text", () => {
  test("of their first elements", () => {
    expect(firstElements(cube, 4)).toBe("[[0 1 2 3]]...");
    expect(firstElements(cube, 3)).toBe("[[0 1 2...]]...");
    expect(firstElements(cube, 0)).toBe("...");
    expect(firstElements(cube, -1)).toBe(
      "[[0 1 2 3][4 5 6 7][8 9 10 11]][[12 13 14 15][16 17 18 19][20 21 22 23]]",
    );
    expect(firstElements(Tensor.of([1, 2, 3, 4]), 3)).toBe("1 2 3...");
    expect(firstElements(Tensor.of(["a", 'b\n"q" \x01ä']), 4)).toBe('a b\\n\\"q\\" \\001ä');
    expect(
      firstElements(
        Tensor.of([
          ["x", "yy"],
          ["z", ""],
        ]),
        100,
      ),
    ).toBe("[x yy][z ]");
    expect(firstElements(Tensor.of([true, false]), 4)).toBe("1 0");
    expect(firstElements(Tensor.of([], "float32", [0]), 4)).toBe("");
    expect(firstElements(Tensor.of(0, "float32", [2, 1, 2]), 100)).toBe("[[0 0]][[0 0]]");
  });

  test("of numbers of all kinds", () => {
    expect(
      firstElements(
        Tensor.of([
          1e10,
          1e-10,
          0.1,
          1 / 3,
          123456789,
          Number.NaN,
          Infinity,
          -Infinity,
          -0,
          1e5,
          1e6,
          16777216,
        ]),
        -1,
      ),
    ).toBe("1e+10 1e-10 0.1 0.333333343 123456792 nan inf -inf -0 100000 1e+06 16777216");
    expect(
      firstElements(Tensor.of([1e10, 1e-10, 0.1, 1 / 3, 123456789, Number.NaN, 1e20, 2.5], "float64"), -1),
    ).toBe("10000000000 1e-10 0.1 0.33333333333333331 123456789 nan 1e+20 2.5");
    expect(firstElements(Tensor.of([0.1, 1 / 3, 65504], "float16"), -1)).toBe(
      "0.0999755859 0.333251953 65504",
    );
    expect(firstElements(Tensor.of([0.1, 1 / 3], "bfloat16"), -1)).toBe("0.100097656 0.333984375");
    expect(firstElements(Tensor.of([2n ** 63n - 1n, -(2n ** 63n)], "int64"), -1)).toBe(
      "9223372036854775807 -9223372036854775808",
    );
  });

  test("of both ends", () => {
    expect(summarizeEnds(cube, 1)).toBe(
      "[[[0 ... 3]\n  ...\n  [8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]",
    );
    expect(summarizeEnds(Tensor.of([...Array(10).keys()], "int32"), 3)).toBe("[0 1 2 ... 7 8 9]");
    expect(summarizeEnds(Tensor.of("s'c"), 3)).toBe('"s\\\'c"');
    expect(summarizeEnds(Tensor.of([], "float32", [0]), 3)).toBe("[]");
    expect(summarizeEnds(Tensor.of([], "float32", [2, 0, 3]), 3)).toBe("[\n\n ...]");
  });
});

describe("prints", () => {
  test("go to the task's log", async () => {
    const lines: string[] = [];
    const step = testStep({ log: (line) => lines.push(line) });
    const ones = Tensor.of([1, 1, 1, 1], "int32");
    const [output] = await runOnce(
      loggingKernels,
      { op: "Print", inputs: [ones, ones, Tensor.of(3)], attrs: { message: "portion is" } },
      step,
    );
    expect(output).toBe(ones);
    await runOnce(loggingKernels, { op: "PrintV2", inputs: [Tensor.of("hello")] }, step);
    await runOnce(
      loggingKernels,
      { op: "PrintV2", inputs: [Tensor.of("on")], attrs: { end: "", output_stream: "stdout" } },
      step,
    );
    expect(lines).toEqual(["portion is[1 1 1...][3]", "hello", "on"]);
  });

  test("stop after the first ones", async () => {
    const lines: string[] = [];
    const step = testStep({ log: (line) => lines.push(line) });
    const example = { op: "Print", inputs: [Tensor.of(1), Tensor.of(2)], attrs: { first_n: 1 } };
    const print = makeKernel(loggingKernels, example, step);
    await print(...example.inputs);
    await print(...example.inputs);
    expect(lines).toEqual(["[2]"]);
  });
});

test("assertions fail with TensorFlow's words", async () => {
  const data = [cube, Tensor.of("msg"), Tensor.of([1, 2, 3, 4], "int32")];
  expect(await messageOf({ op: "Assert", inputs: [Tensor.of(false), ...data] })).toBe(
    "INVALID_ARGUMENT assertion failed: [[[0 1 2...]]...] [msg] [1 2 3...]",
  );
  expect(await messageOf({ op: "Assert", inputs: [Tensor.of([true]), ...data] })).toBe(
    "INVALID_ARGUMENT In[0] should be a scalar: [1]",
  );
  expect(await messageOf({ op: "Assert", inputs: [Tensor.of(true), ...data] })).toBe("");
});

test("numbers that are not finite are named", async () => {
  const check = (op: string, ...values: number[]) =>
    messageOf({ op, inputs: [Tensor.of(values)], attrs: { message: "my msg" } });
  expect(await check("CheckNumerics", 1, Number.NaN)).toBe("INVALID_ARGUMENT my msg : Tensor had NaN values");
  expect(await check("CheckNumerics", Number.NaN, -Infinity)).toBe(
    "INVALID_ARGUMENT my msg : Tensor had Inf and NaN values",
  );
  expect(await check("CheckNumericsV2", Infinity, -Infinity)).toBe(
    "INVALID_ARGUMENT my msg : Tensor had -Inf and +Inf values",
  );
  expect(await check("CheckNumerics", 1, 2)).toBe("");
});

describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
  test("summaries have the same bytes", async () => {
    const tag = Tensor.of("a");
    const scalar = Tensor.of(
      [Buffer.from("0a080a01611500004040", "hex"), Buffer.from("0a080a01621500004040", "hex")],
      "string",
    );
    const cases: OpCase[] = [
      { op: "ScalarSummary", inputs: [Tensor.of(["a", "b"]), Tensor.of([1, 2])] },
      { op: "ScalarSummary", inputs: [tag, Tensor.of(3n, "int64")] },
      { op: "ScalarSummary", inputs: [tag, Tensor.of(0)] },
      { op: "ScalarSummary", inputs: [Tensor.of(["a"]), Tensor.of(3)] },
      { op: "ScalarSummary", inputs: [Tensor.of(["a"]), Tensor.of([1, 2])] },
      { op: "HistogramSummary", inputs: [tag, Tensor.of([1, 2, -3, 0, 1e9, 0.5, -1e-13, 1e30])] },
      { op: "HistogramSummary", inputs: [tag, Tensor.of([], "float32", [0])] },
      { op: "HistogramSummary", inputs: [tag, Tensor.of([1, Number.NaN])] },
      { op: "HistogramSummary", inputs: [tag, Tensor.of([1, 2, 3], "int32")] },
      { op: "MergeSummary", inputs: [scalar] },
      { op: "MergeSummary", inputs: [scalar, scalar] },
      { op: "MergeSummary", inputs: [tag] },
      {
        op: "TensorSummaryV2",
        inputs: [tag, cube, Tensor.of(Buffer.from("0a050a030a0161", "hex"), "string", [])],
      },
      { op: "CheckNumerics", inputs: [Tensor.of([1, Infinity], "bfloat16")], attrs: { message: "m" } },
      {
        op: "CheckNumericsV2",
        inputs: [Tensor.of([1, Infinity, -Infinity, Number.NaN], "float64")],
        attrs: { message: "m" },
      },
    ];
    expect(await compareSessions(cases)).toEqual([]);
  });
});

test("a long Print is written in turns", async () => {
  const { graph } = new Program("print");
  const value = graph.op("Fill", [Tensor.of([5000], "int32"), Tensor.of(1)]).output;
  const print = graph.op("Print", [value, [value]], { summarize: -1 });
  const { turns } = await turnsOf(new MiniSession(), [print]);
  expect(turns).toBeGreaterThan(1);
});
