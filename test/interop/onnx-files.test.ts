import { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { onnxDataType } from "../../worker-runtime/engines/portable/onnx/tensor-proto.js";
import { forbidTelemetry } from "../../worker-runtime/engines/portable/regions/telemetry.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { readModelFile } from "../../worker-runtime/import/import-model.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import {
  encodeOnnx as encoded,
  type OnnxModel as Model,
  type OnnxAttribute,
  type OnnxStep as Step,
} from "../support/onnx-model.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";

const random = (seed: number) => () => {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647 - 0.5;
};
const next = random(7);
const normal = (...shape: number[]) =>
  Tensor.of(Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, next), "float32", shape);
const positive = (size: number) =>
  Tensor.of(
    Float32Array.from({ length: size }, () => next() + 1),
    "float32",
    [size],
  );
const longs = (...values: number[]) => Tensor.of(values.map(BigInt), "int64", [values.length]);
const long = (value: number) => Tensor.of([BigInt(value)], "int64", []);
const number = (value: number) => Tensor.of(value, "float32");

const unary = ["Neg", "Abs", "Exp", "Erf", "Floor", "Ceil", "Sign", "Sin", "Cos", "Relu", "Sigmoid", "Tanh"];
const more = [
  "Softplus",
  "Softsign",
  "Elu",
  "HardSwish",
  "Identity",
  "Reciprocal",
  "LeakyRelu",
  "HardSigmoid",
];

const windows = (more: Readonly<Record<string, OnnxAttribute>>) => ({
  kernel_shape: [3, 3],
  strides: [2, 2],
  ...more,
});

/** Pixels two apart, around each pixel. */
const around = { kernel_shape: [2, 2], dilations: [2, 2], pads: [1, 1, 1, 1] };

/** Vectors that no one knows before the run: they depend on the size of "open", which is 2. */
const IN_RUN: Readonly<Record<string, readonly number[]>> = {
  ...{ starts: [-2, 3], ends: [4, -9], axes: [1, -1], steps: [1, -2], pads: [0, 1, -1, 0, 2, 1] },
  ...{ depth: [5], target: [0, -1, 0], places: [-1, 0], row: [1], parts: [1, 3], back: [-1, -1], two: [2] },
};

const MODELS: Readonly<Record<string, Model>> = {
  computed: {
    opset: 18,
    inputs: { x: [-1, 4, 5], open: [-1] },
    weights: {
      ...Object.fromEntries(
        Object.entries(IN_RUN).map(([name, values]) => [
          `less ${name}`,
          longs(...values.map((one) => 2 - one)),
        ]),
      ),
      largest: Tensor.of([9223372036854775807n, 9223372036854775807n], "int64", [2]),
      values: normal(2),
      least: Tensor.of([-9223372036854775808n, -9223372036854775808n], "int64", [2]),
    },
    steps: [
      ["Shape", ["open"], ["size"]],
      ...Object.keys(IN_RUN).map((name): Step => ["Sub", ["size", `less ${name}`], [name]]),
      ["Slice", ["x", "starts", "ends", "axes", "steps"], ["sliced"]],
      ["Slice", ["x", "starts", "largest"], ["first"]],
      ["Slice", ["x", "largest", "least", "axes", "back"], ["turned"]],
      ["Concat", ["two", "two"], ["two two"], { axis: 0 }],
      ["Slice", ["x", "least", "two two"], ["from start"]],
      ["Pad", ["x", "pads"], ["padded"]],
      ["Pad", ["x", "back", "", "two"], ["without"]],
      ["ReduceSum", ["x", "axes"], ["sums"], { keepdims: 0 }],
      ["ReduceMax", ["x", "row"], ["most"]],
      ["Unsqueeze", ["x", "places"], ["wide"]],
      ["Squeeze", ["wide", "places"], ["narrow"]],
      ["Split", ["x", "parts"], ["a", "b"], { axis: 1 }],
      ["Reshape", ["x", "target"], ["kept"]],
      ["TopK", ["x", "two"], ["greatest", "places of greatest"]],
      ["TopK", ["x", "two"], ["smallest", "places of smallest"], { axis: 1, largest: 0 }],
      ["OneHot", ["starts", "depth", "values"], ["one hot"]],
      ["Squeeze", ["row"], ["axis"]],
      ["CumSum", ["x", "axis"], ["running"], { exclusive: 1 }],
      ["Transpose", ["kept"], ["across"], { perm: [2, 0, 1] }],
    ],
    outputs: [
      ...["sliced", "first", "turned", "from start", "padded", "without", "sums", "most", "wide", "narrow"],
      ...["a", "b", "kept", "across", "greatest", "smallest", "one hot", "running"],
    ],
  },
  elements: {
    opset: 14,
    inputs: { x: [2, 5] },
    weights: { two: number(2), low: number(-0.2), high: number(0.3), y: normal(5) },
    steps: [
      ...[...unary, ...more].map((op): Step => [op, ["x"], [op]]),
      ["Sqrt", ["Abs"], ["Sqrt"]],
      ["Log", ["Exp"], ["Log"]],
      ["Pow", ["Abs", "two"], ["Pow"]],
      ["Clip", ["x", "low", "high"], ["Clip"]],
      ["Clip", ["x", "", "high"], ["ClipBelow"]],
      ["PRelu", ["x", "y"], ["PRelu"]],
      ["Max", ["x", "y", "low"], ["Max"]],
      ["Min", ["x", "y"], ["Min"]],
      ["Sum", ["x", "y", "two"], ["Sum"]],
      ["Div", ["x", "Exp"], ["Div"]],
      ["Less", ["x", "y"], ["less"]],
      ["GreaterOrEqual", ["x", "low"], ["above"]],
      ["And", ["less", "above"], ["both"]],
      ["Not", ["both"], ["neither"]],
      ["Where", ["neither", "x", "y"], ["Where"]],
      ["Cast", ["both"], ["Cast"], { to: 1 }],
      ["Dropout", ["x"], ["Dropout"]],
    ],
    outputs: [
      ...[...unary, ...more, "Sqrt", "Log", "Pow", "Clip", "ClipBelow", "PRelu", "Max", "Min", "Sum", "Div"],
      ...["Where", "Cast", "Dropout"],
    ],
  },
  images: {
    opset: 17,
    inputs: { image: [-1, 4, 11, 12] },
    weights: {
      ...{
        w1: normal(6, 4, 3, 3),
        b1: normal(6),
        g: positive(6),
        b: normal(6),
        m: normal(6),
        v: positive(6),
      },
      ...{
        w2: normal(12, 1, 3, 3),
        w3: normal(6, 6, 1, 1),
        w4: normal(8, 3, 3, 3),
        wf: normal(5, 8),
        bf: normal(5),
      },
    },
    steps: [
      ["Conv", ["image", "w1", "b1"], ["c1"], { strides: [2, 1], pads: [1, 0, 1, 2] }],
      ["BatchNormalization", ["c1", "g", "b", "m", "v"], ["n1"]],
      ["Relu", ["n1"], ["r1"]],
      ["Conv", ["r1", "w2"], ["c2"], { group: 6, pads: [1, 1, 1, 1] }],
      ["Split", ["c2"], ["left", "right"], { axis: 1 }],
      ["Add", ["left", "right"], ["joined"]],
      ["MaxPool", ["joined"], ["p1"], { kernel_shape: [3, 3], strides: [1, 2], pads: [1, 1, 1, 1] }],
      ["Conv", ["p1", "w3"], ["c3"], { auto_pad: "SAME_UPPER" }],
      ["AveragePool", ["c3"], ["p2"], { kernel_shape: [2, 2], pads: [1, 0, 0, 1] }],
      ["Conv", ["p2", "w4"], ["c4"], { group: 2, dilations: [1, 1], pads: [1, 1, 1, 1] }],
      ["GlobalAveragePool", ["c4"], ["mean"]],
      ["GlobalMaxPool", ["c4"], ["most"]],
      ["Flatten", ["mean"], ["flat"]],
      ["Gemm", ["flat", "wf", "bf"], ["logits"], { transB: 1, alpha: { float: 0.5 }, beta: { float: 2 } }],
      ["Softmax", ["logits"], ["scores"], { axis: 1 }],
      ["LogSoftmax", ["c4"], ["channels"], { axis: 1 }],
    ],
    outputs: ["scores", "most", "channels"],
  },
  sequences: {
    opset: 18,
    inputs: { signal: [-1, 3, 10] },
    weights: { w: normal(4, 3, 3), bias: normal(4), axes: longs(2) },
    steps: [
      ["Conv", ["signal", "w", "bias"], ["c"], { pads: [2, 0], dilations: [1], strides: [2] }],
      ["MaxPool", ["c"], ["p"], { kernel_shape: [2], strides: [1] }],
      ["ReduceMean", ["p", "axes"], ["mean"], { keepdims: 0 }],
      ["ReduceSum", ["p"], ["sum"]],
      ["ReduceMax", ["p", "axes"], ["most"]],
      ["ArgMax", ["p"], ["where"], { axis: 1, keepdims: 0 }],
    ],
    outputs: ["mean", "sum", "most", "where"],
  },
  transformer: {
    opset: 20,
    inputs: { tokens: [-1, 6, 8] },
    weights: {
      ...{
        qkv: normal(8, 24),
        heads: longs(0, 0, 3, 2, 4),
        scale: number(0.5),
        gamma: positive(8),
        beta: normal(8),
      },
      ...{ out: normal(8, 8), flat: longs(0, 0, -1), up: normal(8, 16), down: normal(16, 8) },
      ...{ zero: long(0), one: long(1), two: long(2), first: longs(0) },
    },
    steps: [
      ["MatMul", ["tokens", "qkv"], ["all"]],
      ["Reshape", ["all", "heads"], ["apart"]],
      ["Transpose", ["apart"], ["turned"], { perm: [2, 0, 3, 1, 4] }],
      ["Gather", ["turned", "zero"], ["q"], { axis: 0 }],
      ["Gather", ["turned", "one"], ["k"], { axis: 0 }],
      ["Gather", ["turned", "two"], ["v"], { axis: 0 }],
      ["Transpose", ["k"], ["kt"], { perm: [0, 1, 3, 2] }],
      ["MatMul", ["q", "kt"], ["products"]],
      ["Mul", ["products", "scale"], ["scaled"]],
      ["Softmax", ["scaled"], ["weights"]],
      ["MatMul", ["weights", "v"], ["mixed"]],
      ["Transpose", ["mixed"], ["back"], { perm: [0, 2, 1, 3] }],
      ["Reshape", ["back", "flat"], ["together"]],
      ["MatMul", ["together", "out"], ["projected"]],
      ["Add", ["tokens", "projected"], ["residual"]],
      ["LayerNormalization", ["residual", "gamma", "beta"], ["normal"], { axis: -1 }],
      ["MatMul", ["normal", "up"], ["wide"]],
      ["Gelu", ["wide"], ["gelu"]],
      ["MatMul", ["gelu", "down"], ["narrow"]],
      ["Gather", ["narrow", "first"], ["kept"], { axis: 1 }],
      ["Squeeze", ["kept", "ones"], ["class"]],
      ["Constant", [], ["ones"], { value: longs(1) }],
    ],
    outputs: ["class"],
  },
  // Where ONNX and TensorFlow differ in padding, dtypes or what they take.
  differences: {
    opset: 20,
    inputs: { x: [3], image: [1, 2, 5, 6], row: [6], photo: [-1, 2, -1, -1] },
    weights: {
      ...{ exponent: Tensor.of([0.5, -1, 2], "float32"), whole: longs(2, 3), big: number(9) },
      ...{ gamma: Tensor.of([1, 2, 3, 4, 5, 6], "float64"), beta: Tensor.of([6, 5, 4, 3, 2, 1], "float64") },
      ...{ columns: normal(6, 2), twice: longs(2), start: number(3), limit: number(-2), step: number(-2) },
    },
    steps: [
      ["AveragePool", ["image"], ["counted"], windows({ auto_pad: "SAME_UPPER", count_include_pad: 1 })],
      ["AveragePool", ["image"], ["lower"], windows({ auto_pad: "SAME_LOWER" })],
      [
        "AveragePool",
        ["image"],
        ["ceiled"],
        windows({ ceil_mode: 1, count_include_pad: 1, pads: [1, 0, 1, 0] }),
      ],
      ["MaxPool", ["image"], ["most"], windows({ auto_pad: "SAME_LOWER" })],
      ["MaxPool", ["image"], ["apart"], windows({ dilations: [1, 2], pads: [0, 1, 2, 2], ceil_mode: 1 })],
      ["MaxPool", ["photo"], ["most apart"], around],
      ["AveragePool", ["photo"], ["mean apart"], { ...around, count_include_pad: 1 }],
      ["AveragePool", ["photo"], ["mean inside"], around],
      ["Cast", ["image"], ["doubles"], { to: onnxDataType("float64") }],
      ["LayerNormalization", ["doubles", "gamma", "beta"], ["normal", "means", "inverses"]],
      ["Cast", ["normal"], ["normal float"], { to: 1 }],
      ["Abs", ["x"], ["positive"]],
      ["Mul", ["positive", "big"], ["large"]],
      ["Ceil", ["large"], ["ceil"]],
      ["Cast", ["ceil"], ["integers"], { to: onnxDataType("int32") }],
      ["Pow", ["integers", "exponent"], ["powers"]],
      ["Cast", ["powers"], ["power"], { to: 1 }],
      ["Greater", ["x", "exponent"], ["above"]],
      ["Expand", ["above", "whole"], ["flags"]],
      ["Where", ["flags", "x", "big"], ["chosen"]],
      ["Cast", ["integers"], ["shorts"], { to: onnxDataType("uint16") }],
      ["Tile", ["shorts", "twice"], ["tiled"]],
      ["Cast", ["tiled"], ["tiles"], { to: 1 }],
      ["Cast", ["x"], ["halves"], { to: onnxDataType("float16") }],
      ["Round", ["halves"], ["rounded"]],
      ["Cast", ["rounded"], ["round"], { to: 1 }],
      ["MatMul", ["row", "columns"], ["vector"]],
      ["Range", ["start", "limit", "step"], ["down"]],
      ["Elu", ["x"], ["elu"], { alpha: { float: 0.5 } }],
      ["Gelu", ["x"], ["gelu"], { approximate: "tanh" }],
    ],
    outputs: [
      ...["counted", "lower", "ceiled", "most", "power", "chosen", "tiles", "round", "vector", "down", "elu"],
      ...["gelu", "apart", "most apart", "mean apart", "mean inside", "normal float", "means", "inverses"],
    ],
  },
  arrays: {
    opset: 13,
    inputs: { x: [-1, 4, 5] },
    weights: {
      ...{
        zero: longs(0),
        minus: longs(-1),
        starts: longs(-1, 1),
        ends: longs(-100, Number.MAX_SAFE_INTEGER),
      },
      ...{ axes: longs(1, 2), steps: longs(-1, 2), pads: longs(0, 1, 2, 0, 1, 1), sizes: longs(1, 3) },
      ...{
        reps: longs(1, 2, 1),
        last: longs(-1, 0),
        unit: longs(1),
        whole: longs(2, 1, 5),
        value: number(3),
      },
    },
    steps: [
      ["Shape", ["x"], ["shape"]],
      ["Gather", ["shape", "zero"], ["batch"]],
      ["Concat", ["batch", "minus"], ["target"], { axis: 0 }],
      ["Reshape", ["x", "target"], ["flat"]],
      ["Slice", ["x", "starts", "ends", "axes", "steps"], ["sliced"]],
      ["Pad", ["x", "pads"], ["reflected"], { mode: "reflect" }],
      ["Pad", ["x", "pads", "value"], ["padded"]],
      ["Split", ["x", "sizes"], ["a", "b"], { axis: 1 }],
      ["Tile", ["x", "reps"], ["tiled"]],
      ["Gather", ["x", "last"], ["gathered"], { axis: 2 }],
      ["Unsqueeze", ["x", "unit"], ["wider"]],
      ["Squeeze", ["wider", "unit"], ["narrower"]],
      ["Expand", ["a", "whole"], ["expanded"]],
      ["ConstantOfShape", ["shape"], ["filled"], { value: Tensor.of([1.5], "float32", [1]) }],
    ],
    outputs: [
      ...[
        "flat",
        "sliced",
        "reflected",
        "padded",
        "b",
        "tiled",
        "gathered",
        "narrower",
        "expanded",
        "filled",
      ],
    ],
  },
};

const open = (model: Model, domain?: string) => readModelFile(encoded(model, domain), "model.onnx");

const ENGINES: readonly { readonly engine: EngineName; readonly isMissing: boolean }[] = [
  { engine: "tensorflow", isMissing: peerMissing("tensorflow") },
  { engine: "portable", isMissing: false },
];

describe("models in ONNX's format", () => {
  test("are refused by the names of all operators that are not known, and if they are damaged", async () => {
    const model = MODELS.elements;
    if (!model) throw new Error("There is no model.");
    const steps: readonly Step[] = [
      ["NonMaxSuppression", ["x"], ["y"]],
      ["Loop", ["y"], ["z"]],
    ];
    await expect(open({ ...model, steps })).rejects.toThrow(/cannot open: NonMaxSuppression, Loop\./);
    await expect(open(model, "com.mine")).rejects.toThrow(/com\.mine\.Neg/);
    await expect(open({ ...model, opset: 9 })).rejects.toThrow(/operator set 9; Tensordeck opens 13 to 21/);
    await expect(readModelFile(new Uint8Array([1, 2, 3]), "x.onnx")).rejects.toThrow(/damaged/);
    await expect(readModelFile(encoded(model).subarray(0, 300), "x.onnx")).rejects.toThrow(/damaged/);
    const [first] = model.steps;
    if (first)
      await expect(open({ ...model, steps: [first], outputs: ["none"] })).rejects.toThrow(/reads "none"/);
  });

  describe.each(ENGINES)("on the engine $engine", ({ engine, isMissing }) => {
    describe.skipIf(isMissing)("models", () => {
      let server: Server;

      beforeAll(async () => {
        server = await Server.createLocalServer(
          engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
        );
      });
      afterAll(() => server.stop());

      test.each(Object.entries(MODELS))("%s compute what ONNX Runtime does", async (_name, model) => {
        const feeds = Object.entries(model.inputs).map(([name, shape]): [string, Tensor] => [
          name,
          normal(...("dtype" in shape ? shape.shape : shape).map((size) => (size < 0 ? 2 : size))),
        ]);
        forbidTelemetry();
        const reference = await InferenceSession.create(encoded(model));
        const expected = await reference.run(
          Object.fromEntries(
            feeds.map(([name, { data, shape }]) => [
              name,
              new OrtTensor("float32", data as Float32Array, shape),
            ]),
          ),
        );
        await reference.release();
        const { metaGraph } = await open(model);
        const signature = metaGraph.signatureDef.get("serving_default");
        const session = new Session(server.target, { graph: metaGraph.graphDef ?? GraphDef.create() });
        try {
          const tensorOf = (info: Parameters<typeof tensorsOf>[0] | undefined) =>
            (info && tensorsOf(info)[0]) ?? "";
          const { values } = await session.run(
            model.outputs.map((name) => tensorOf(signature?.outputs.get(name))),
            {
              feeds: new Map(feeds.map(([name, value]) => [tensorOf(signature?.inputs.get(name)), value])),
            },
          );
          for (const [at, name] of model.outputs.entries()) {
            const wanted = expected[name];
            expect([name, values[at]?.shape]).toEqual([name, wanted?.dims]);
            const differences = Array.from(wanted?.data as Float32Array, (value, i) =>
              Math.abs(Number(value) - Number(values[at]?.at(i))),
            );
            expect([name, Math.max(...differences) < 1e-4]).toEqual([name, true]);
          }
        } finally {
          await session.close();
        }
      });
    });
  });
});
