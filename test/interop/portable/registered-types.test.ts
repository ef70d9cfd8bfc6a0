import { describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../worker-runtime/engines/portable/kernels/all.js";
import { peerMissing } from "../../support/peers.js";
import { compareRegistrations, registeredByTensorflow } from "./registered-types.js";

/** Kernels that this engine lacks and TensorFlow's CPU has. Whoever adds one takes it out of here. */
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

describe.skipIf(peerMissing("tensorflow"))("the dtypes of ops", () => {
  test("are those that TensorFlow has kernels for on the CPU (npx tsx build/kernel-types.ts)", {
    timeout: 120_000,
  }, async () => {
    const { surplus, lacking } = compareRegistrations(createKernelRegistry(), await registeredByTensorflow());
    expect(surplus).toEqual([]);
    expect(lacking).toEqual(LACKING);
  });
});
