import { describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../worker-runtime/engines/portable/kernels/all.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../support/peers.js";
import { startWorker } from "../worker-peers.js";
import { evaluateCases } from "./differential/evaluate.js";
import { attr, exact, type OpCase } from "./differential/op-case.js";
import { compareRegistrations, registeredByTensorflow } from "./registered-types.js";

/** What this engine has no kernels for and TensorFlow's CPU has. Whoever adds one takes it out of here. */
const LACKING = [
  "ApplyAdadelta T: complex64 complex128",
  "ApplyAdagrad T: complex64 complex128",
  "ApplyAdagradV2 T: complex64 complex128",
  "ApplyAdam T: complex64 complex128",
  "ApplyCenteredRMSProp T: complex64 complex128",
  "ApplyGradientDescent T: complex64 complex128",
  "ApplyMomentum T: complex64 complex128",
  "ApplyRMSProp T: complex64 complex128",
  "BandedTriangularSolve T: complex64 complex128",
  "Cast SrcT: string",
  "Cast DstT: string",
  "Conv2D T: int32",
  "Conv2DBackpropInput T: int32",
  "Dilation2D T: int64 uint64",
  "Dilation2DBackpropFilter T: int64 uint64",
  "Dilation2DBackpropInput T: int64 uint64",
  "EuclideanNorm T: complex64 complex128",
  "MatrixInverse T: float16",
  "MatrixSolveLs T: complex64 complex128",
  "MaxPool T: int8 int16 int32 uint8 uint16 int64",
  "MaxPoolGrad T: int8 int16 int32 uint8 uint16 uint32 int64 uint64",
  "MaxPoolGradWithArgmax T: int64 uint64",
  "MaxPoolWithArgmax T: int64 uint64",
  "Qr T: float16",
  "Relu6Grad T: int64 uint64",
  "ReluGrad T: int64 uint64",
  "ResourceApplyAdadelta T: complex64 complex128",
  "ResourceApplyAdagrad T: complex64 complex128",
  "ResourceApplyAdagradV2 T: complex64 complex128",
  "ResourceApplyAdam T: complex64 complex128",
  "ResourceApplyCenteredRMSProp T: complex64 complex128",
  "ResourceApplyGradientDescent T: complex64 complex128",
  "ResourceApplyKerasMomentum T: complex64 complex128",
  "ResourceApplyMomentum T: complex64 complex128",
  "ResourceApplyRMSProp T: complex64 complex128",
  "ResourceScatterNdAdd T: bool",
  "ResourceScatterNdSub T: bool",
  "ResourceSparseApplyAdadelta T: complex64 complex128",
  "ResourceSparseApplyAdagrad T: complex64 complex128",
  "ResourceSparseApplyAdagradV2 T: complex64 complex128",
  "ResourceSparseApplyCenteredRMSProp T: complex64 complex128",
  "ResourceSparseApplyKerasMomentum T: complex64 complex128",
  "ResourceSparseApplyMomentum T: complex64 complex128",
  "ResourceSparseApplyRMSProp T: complex64 complex128",
  "SparseAdd T: int64 complex64 complex128",
  "SparseAddGrad T: int64",
  "SparseApplyAdadelta T: complex64 complex128",
  "SparseApplyAdagrad T: complex64 complex128",
  "SparseApplyAdagradV2 T: complex64 complex128",
  "SparseApplyCenteredRMSProp T: complex64 complex128",
  "SparseApplyMomentum T: complex64 complex128",
  "SparseApplyRMSProp T: complex64 complex128",
  "SparseDenseCwiseAdd T: float16 bfloat16 uint16 uint32 int64 uint64",
  "SparseDenseCwiseDiv T: float16 bfloat16 int8 int16 int32 uint8 uint16 uint32 int64 uint64",
  "SparseDenseCwiseMul T: float16 bfloat16 uint16 uint32 int64 uint64",
  "SparseReduceMax T: float16 bfloat16 uint16 uint32 int64 uint64",
  "SparseReduceSum T: float16 bfloat16 uint16 uint32 int64 uint64 complex64 complex128",
  "SparseSoftmax T: float16",
  "SparseSparseMaximum T: float16 bfloat16 uint16 uint32 int64 uint64",
  "SparseSparseMinimum T: float16 bfloat16 uint16 uint32 int64 uint64",
  "SparseTensorDenseMatMul T: float16 bfloat16 complex64 complex128",
  "ToBool T: complex64 complex128",
  "TridiagonalMatMul T: complex64 complex128",
  "TridiagonalSolve T: complex64 complex128",
  "_FusedBatchNormEx T: float32 bfloat16",
  "_FusedBatchNormEx U: float32",
  "_FusedConv2D T: int8",
];

const complex = (...values: number[]) =>
  Tensor.of(
    values.map((re) => ({ re, im: 1 })),
    "complex64",
  );
const indices = Tensor.of([[0], [1]], "int32");
const scatters = { T: attr.type("complex64"), Tindices: attr.type("int32") };

/** Nodes of dtypes that their ops' definitions allow and no kernel of TensorFlow for the CPU takes. */
const REFUSED: readonly Omit<OpCase, "tolerance">[] = [
  { op: "TensorScatterMax", inputs: [complex(1, 2), indices, complex(3, 4)], attrs: scatters },
  { op: "TensorScatterMin", inputs: [complex(1, 2), indices, complex(3, 4)], attrs: scatters },
  { op: "Reciprocal", inputs: [Tensor.of([1, 2], "int32")], attrs: { T: attr.type("int32") } },
  { op: "Round", inputs: [Tensor.of([1, 2], "int8")], attrs: { T: attr.type("int8") } },
  {
    op: "ClipByValue",
    inputs: [[1, 2], 1, 2].map((values) => Tensor.of(values, "uint32")),
    attrs: { T: attr.type("uint32") },
  },
];

describe.skipIf(peerMissing("tensorflow"))("the dtypes of ops", () => {
  test("are those that TensorFlow has kernels for on the CPU (npx tsx build/kernel-types.ts)", {
    timeout: 120_000,
  }, async () => {
    const { surplus, lacking } = compareRegistrations(createKernelRegistry(), await registeredByTensorflow());
    expect(surplus).toEqual([]);
    expect(lacking).toEqual(LACKING);
  });

  test("that no kernel takes are refused with the same code by both engines", async () => {
    const cases = REFUSED.map((one) => ({ ...one, tolerance: exact }));
    const codes = async (engine: string) => {
      const worker = await startWorker(["--engine", engine]);
      const outcomes = await evaluateCases(worker.target, cases, "fed");
      return outcomes.map((outcome) => (outcome.kind === "error" ? outcome.code : "values"));
    };
    const [theirs, ours] = await Promise.all([codes("tensorflow"), codes("portable")]);
    expect(theirs).toEqual(REFUSED.map(() => "INVALID_ARGUMENT"));
    expect(ours).toEqual(theirs);
  });
});
