import type { DType } from "../../../protocol/dtype.js";
import { complexTypes, dataTypes, numberTypes, realTypes } from "./support/dtypes.js";

const float = ["float16", "bfloat16", "float32", "float64"] as const satisfies readonly DType[];
/** The dtypes that TensorFlow keeps on GPUs: all numbers but int32, whose values are on the host (`hostInt32`). */
const resident: readonly DType[] = [...numberTypes.filter((dtype) => dtype !== "int32"), "bool"];
/** The dtypes of TensorFlow's GPU kernels that read or change single rows of variables. */
const rows: readonly DType[] = realTypes.filter((dtype) => dtype !== "int32");
const halfToDouble: readonly DType[] = float.filter((dtype) => dtype !== "bfloat16");
const constant: readonly DType[] = dataTypes.filter((dtype) => dtype !== "string");
const int32: readonly DType[] = ["int32"];
const index: readonly DType[] = ["int32", "int64"];

/** The dtypes of an op's GPU kernel, by type attribute; attributes that are not listed accept any dtype. */
export type GpuTypes = Readonly<Record<string, readonly DType[]>>;

/** TensorFlow's ops that, on a GPU, pass values on or compute on the host, whatever the dtype. */
const anyTypes = [
  ..."Identity IdentityN StopGradient PreventGradient Snapshot EnsureShape GuaranteeConst".split(" "),
  ..."Placeholder PlaceholderWithDefault NoOp ControlTrigger Assert".split(" "),
  ..."Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit NextIteration RefNextIteration LoopCond".split(
    " ",
  ),
  ..."_Send _Recv _HostSend _HostRecv _Arg _Retval".split(" "),
  ..."If StatelessIf While StatelessWhile Case StatelessCase PartitionedCall StatefulPartitionedCall".split(
    " ",
  ),
  ..."Shape ShapeN Size Rank Reshape ExpandDims Squeeze".split(" "),
  ..."ReadVariableOp VariableShape VarIsInitializedOp DestroyResourceOp".split(" "),
  ..."EmptyTensorList TensorListReserve TensorListPushBack TensorListPopBack TensorListSetItem".split(" "),
  ..."TensorListGetItem TensorListStack TensorListFromTensor TensorListLength TensorListElementShape".split(
    " ",
  ),
  ..."TensorListResize TensorListConcat TensorListConcatV2 TensorListSplit TensorListGather".split(" "),
  ..."StackV2 StackPushV2 StackPopV2 StackCloseV2".split(" "),
  ..."TensorArrayV3 TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3 TensorArrayScatterV3".split(" "),
  ..."TensorArrayConcatV3 TensorArraySplitV3 TensorArraySizeV3 TensorArrayCloseV3 TensorArrayGradV3".split(
    " ",
  ),
];

/** Variables and ops that update them. */
const variables =
  "VarHandleOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp VariableV2 Variable".split(" ");
const referenceUpdates = "Assign AssignAdd AssignSub TemporaryVariable DestroyTemporaryVariable".split(" ");

/**
 * Ops that read or change single rows of a variable, such as a table of embeddings. Here their kernels compute on the
 * host, where these variables stay. TensorFlow has no GPU kernel of the other sparse optimizers.
 */
const ofRows = (
  "ResourceGather ResourceGatherNd ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv " +
  "ResourceScatterMin ResourceScatterMax ResourceScatterUpdate ResourceScatterNdAdd ResourceScatterNdSub " +
  "ResourceScatterNdUpdate ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax ScatterUpdate ScatterNdAdd " +
  "ScatterNdSub ScatterNdUpdate"
).split(" ");
const sparseUpdates = (
  "ResourceSparseApplyAdagrad ResourceSparseApplyAdagradV2 ResourceSparseApplyFtrl ResourceSparseApplyFtrlV2 " +
  "ResourceSparseApplyKerasMomentum ResourceSparseApplyProximalAdagrad SparseApplyAdagrad SparseApplyAdagradV2 " +
  "SparseApplyFtrl SparseApplyFtrlV2 SparseApplyProximalAdagrad"
).split(" ");

/** Ops whose int32 GPU kernel in TensorFlow has all arguments on the host: they compute shapes and indices. */
const hostInt32 = (
  "Add AddV2 AddN Sub Mul Neg Abs Sign Square FloorDiv FloorMod Div RealDiv TruncateDiv Maximum Minimum Less LessEqual " +
  "Greater GreaterEqual Equal NotEqual Sum Prod Max Min Mean Pack Unpack Concat ConcatV2 Slice StridedSlice Split SplitV " +
  "Tile Pad PadV2 Reverse ReverseV2 Fill ZerosLike OnesLike BroadcastTo DynamicStitch Transpose Gather GatherV2 GatherNd " +
  "Select SelectV2 Bitcast"
).split(" ");

/** By op: each entry is one registration. From TensorFlow's registrations for DEVICE_GPU and DEVICE_DEFAULT. */
const byOp = new Map<string, readonly GpuTypes[]>([
  ...anyTypes.map((op) => [op, [{}]] as const),
  ...variables.map((op) => [op, [{ dtype: resident }]] as const),
  ...referenceUpdates.map((op) => [op, [{ T: resident, dtype: resident }]] as const),
  ...ofRows.map((op) => [op, [{ T: rows, dtype: rows }]] as const),
  ...sparseUpdates.map((op) => [op, [{ T: halfToDouble }]] as const),
  ["IsVariableInitialized", [{ dtype: resident }]],
  ["Const", [{ dtype: constant }]],
  ["Range", [{ Tidx: [...float, ...index] }]],
  ["ConcatOffset", [{ shape_type: int32 }]],
  ["BroadcastArgs", [{ T: index }]],
  ["BroadcastGradientArgs", [{ T: index }]],
  ["InvertPermutation", [{ T: index }]],
  ["Unique", [{ T: index }]],
  [
    "Cast",
    [{ SrcT: [...realTypes, ...complexTypes, "bool"], DstT: [...realTypes, ...complexTypes, "bool"] }],
  ],
  ...["RandomUniform", "RandomStandardNormal", "TruncatedNormal"].map(
    (op) => [op, [{ T: index, dtype: float }]] as const,
  ),
  ["RandomUniformInt", [{ T: index, Tout: index }]],
  ...["Uniform", "UniformV2", "Normal", "NormalV2"].map(
    (name) => [`StatelessRandom${name}`, [{ dtype: float }]] as const,
  ),
  ...["StatelessTruncatedNormal", "StatelessTruncatedNormalV2"].map(
    (op) => [op, [{ dtype: float }]] as const,
  ),
  ...["StatelessRandomGetKeyCounter", "StatelessRandomGetAlg"].map((op) => [op, [{}]] as const),
]);
for (const op of hostInt32) {
  byOp.set(op, [...(byOp.get(op) ?? []), { T: int32, type: int32, Tparams: int32 }]);
}

/**
 * The dtypes for which TensorFlow has GPU kernels of an op that compute on the host or only pass values on; empty if it
 * has no such kernel.
 */
export function gpuHostTypes(op: string): readonly GpuTypes[] {
  return byOp.get(op) ?? [];
}
