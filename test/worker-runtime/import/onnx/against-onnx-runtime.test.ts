/**
 * Every operator that is imported, compared with ONNX Runtime on random inputs and attributes that ONNX allows.
 * TENSORDECK_PROPERTY_RUNS is the number of cases of each operator in a long run, TENSORDECK_SEED another beginning.
 */
import type { Tensor as OrtTensor } from "onnxruntime-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import {
  loadRuntime,
  RUNTIME,
  type Runtime,
  tensorOver,
} from "../../../../worker-runtime/engines/portable/regions/runtime.js";
import { Server } from "../../../../worker-runtime/engines/server.js";
import { tensorsOf } from "../../../../worker-runtime/graph/run-choice.js";
import { ONNX_OPS, readOnnx } from "../../../../worker-runtime/import/onnx/read-onnx.js";
import { type DType, isDType } from "../../../../worker-runtime/protocol/dtype.js";
import { StatusCode, TensorFlowError } from "../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { arrayFromBytes, isByteList } from "../../../../worker-runtime/protocol/tensor-data.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { encodeOnnx, type OnnxModel } from "../../../support/onnx-model.js";
import fc from "../../../support/seeded-check.js";
import { ARRAYS } from "./specification/arrays.js";
import { Draw, type NodeCase, type OpSpecification } from "./specification/draw.js";
import { ELEMENTWISE } from "./specification/elementwise.js";
import { NETWORKS } from "./specification/networks.js";

const SPECIFICATIONS: Readonly<Record<string, OpSpecification>> = { ...ELEMENTWISE, ...ARRAYS, ...NETWORKS };

const RUNS = Number(process.env.TENSORDECK_PROPERTY_RUNS ?? 15);

/** Two implementations may differ by so much: relative to a value's size, and to 1. */
const TOLERANCES: Partial<Record<DType, number>> = { float16: 2e-2, float32: 1e-4, float64: 1e-6 };

function modelOf(
  op: string,
  opset: number,
  { inputs, attributes = {}, outputs = 1 }: NodeCase,
  isOpen: boolean,
) {
  const given = inputs.flatMap((argument, at) => (argument ? [{ name: `x${at}`, ...argument }] : []));
  const last = inputs.findLastIndex((argument) => argument !== undefined);
  const names = Array.from({ length: outputs }, (_, at) => `y${at}`);
  const fed = given.filter(({ isConstant }) => !isConstant);
  const model: OnnxModel = {
    opset,
    inputs: Object.fromEntries(
      fed.map(({ name, value: { dtype, shape } }) => [
        name,
        { dtype, shape: isOpen ? shape.map((size, axis) => (axis === 0 ? -1 : size)) : shape },
      ]),
    ),
    weights: Object.fromEntries(
      given.filter(({ isConstant }) => isConstant).map(({ name, value }) => [name, value]),
    ),
    steps: [
      [op, inputs.slice(0, last + 1).map((argument, at) => (argument ? `x${at}` : "")), names, attributes],
    ],
    outputs: names,
  };
  return { bytes: encodeOnnx(model), feeds: fed.map(({ name, value }) => [name, value] as const), names };
}

type Model = ReturnType<typeof modelOf>;

/** Operators that take as tensors what others have as attributes. */
const COMPUTED: readonly string[] = [
  ...["Reshape", "Squeeze", "Unsqueeze", "Split", "Slice", "Pad", "Expand", "ConstantOfShape", "Tile"],
  ...["Range", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin"],
  ...["OneHot", "TopK", "CumSum"],
];

/** Undefined where ONNX Runtime has nothing for these dtypes. */
async function byOnnxRuntime(
  runtime: Runtime,
  { bytes, feeds, names }: Model,
): Promise<readonly Tensor[] | undefined> {
  const options = { logSeverityLevel: 4 } as const;
  const session = await runtime.InferenceSession.create(bytes, options).catch((error: unknown) => {
    if (/NOT_IMPLEMENTED|Could not find an implementation|Failed to find kernel/.test(String(error)))
      return undefined;
    throw error;
  });
  if (!session) return undefined;
  try {
    const results = await session.run(
      Object.fromEntries(feeds.map(([name, value]) => [name, ortTensor(runtime, value)])),
    );
    return names.map((name) => {
      const found = results[name];
      if (!found) throw new Error(`ONNX Runtime gives no ${name}.`);
      const { type, dims, data } = found;
      if (!isDType(type) || !ArrayBuffer.isView(data)) throw new Error(`ONNX Runtime gives ${type}.`);
      const bytesOf = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      return new Tensor(type, dims, arrayFromBytes(type, bytesOf));
    });
  } finally {
    await session.release();
  }
}

function ortTensor(runtime: Runtime, { dtype, data, shape }: Tensor): OrtTensor {
  if (isByteList(data)) throw new Error(`A tensor of ${dtype} is not fed here.`);
  return tensorOver(runtime, dtype, data, shape);
}

function expectClose(found: Tensor | undefined, wanted: Tensor): void {
  expect([found?.dtype, found?.shape]).toEqual([wanted.dtype, wanted.shape]);
  const tolerance = TOLERANCES[wanted.dtype] ?? 0;
  for (let at = 0; at < wanted.size; at++) {
    const [value, right] = [Number(found?.at(at)), Number(wanted.at(at))];
    if (Object.is(value, right) || value === right) continue;
    if (Math.abs(value - right) <= tolerance * (1 + Math.abs(right))) continue;
    expect(found?.toArray()).toEqual(wanted.toArray());
  }
}

/** Says of a node of ONNX that it cannot be opened, and never speaks of a node that Tensordeck makes of it. */
function isRefusal(error: unknown, op: string): boolean {
  return (
    error instanceof TensorFlowError &&
    error.code === StatusCode.UNIMPLEMENTED &&
    error.message.startsWith(`The node "/part/${op}_0" (${op}) `)
  );
}

describe("operators of ONNX", () => {
  let server: Server;
  let runtime: Runtime;

  beforeAll(async () => {
    runtime = await loadRuntime(RUNTIME);
    server = await Server.createLocalServer({ engine: "portable" });
  });
  afterAll(() => server.stop());

  async function byTensordeck({ bytes, feeds, names }: Model): Promise<readonly Tensor[]> {
    const { graphDef, signatureDef } = readOnnx(bytes, "model.onnx");
    const signature = signatureDef.get("serving_default");
    const tensorOf = (info: Parameters<typeof tensorsOf>[0] | undefined) =>
      (info && tensorsOf(info)[0]) ?? "";
    const session = new Session(server.target, { graph: graphDef ?? GraphDef.create() });
    try {
      const { values } = await session.run(
        names.map((name) => tensorOf(signature?.outputs.get(name))),
        { feeds: new Map(feeds.map(([name, value]) => [tensorOf(signature?.inputs.get(name)), value])) },
      );
      return values;
    } finally {
      await session.close();
    }
  }

  test("have an entry here, each that is imported", () => {
    expect(Object.keys(SPECIFICATIONS).sort()).toEqual([...ONNX_OPS.keys(), "Constant"].sort());
  });

  test.each(Object.entries(SPECIFICATIONS))(
    "%s computes what ONNX Runtime does, or is refused",
    async (op, specification) => {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(fc.gen(), async (values) => {
          const draw = new Draw(values, specification.since);
          const model = modelOf(op, draw.opset, specification.draw(draw), draw.seldom());
          const wanted = await byOnnxRuntime(runtime, model);
          if (!wanted) return;
          const found = await byTensordeck(model).catch((error: unknown) => {
            if (!isRefusal(error, op)) throw error;
          });
          if (!found) return;
          compared++;
          for (const [at, one] of wanted.entries()) expectClose(found[at], one);
        }),
        { numRuns: RUNS },
      );
      expect(compared).toBeGreaterThan(0);
    },
  );

  // Modes of padding that TensorFlow does not have are refused whatever is known of the sizes.
  test.each(Object.entries(SPECIFICATIONS).filter(([op]) => COMPUTED.includes(op)))(
    "%s takes shapes, axes and sizes that are known in a run only",
    async (op, specification) => {
      await fc.assert(
        fc.asyncProperty(fc.gen(), async (values) => {
          const draw = new Draw(values, specification.since);
          const drawn = specification.draw(draw);
          if (op === "Pad" && /edge|wrap/.test(String(drawn.attributes?.mode))) return;
          const inputs = drawn.inputs.map((argument) => argument && { ...argument, isConstant: false });
          const model = modelOf(op, draw.opset, { ...drawn, inputs }, draw.seldom());
          const wanted = await byOnnxRuntime(runtime, model);
          if (!wanted) return;
          const found = await byTensordeck(model);
          for (const [at, one] of wanted.entries()) expectClose(found[at], one);
        }),
        { numRuns: RUNS },
      );
    },
  );
});
