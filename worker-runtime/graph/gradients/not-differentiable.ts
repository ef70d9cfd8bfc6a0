/** Ops whose results do not change gradually with their inputs, or that TensorFlow passes no gradient through. */
const NAMES = `
All Any ApproximateEqual ArgMax ArgMin Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp
AssignVariableOp Assert BatchMatMulGrad Bincount Bitcast BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs
BroadcastGradientArgs Bucketize Ceil ConcatOffset Const DrawBoundingBoxes Equal Floor FloorDiv Greater GreaterEqual
Histogram FixedWidthHistogram HistogramFixedWidth InTopK InTopKV2 InvertPermutation IsFinite IsInf IsNan Less
LessEqual LinSpace ListDiff LogicalAnd LogicalNot LogicalOr LowerBound MatrixRank Multinomial NoOp NotEqual OneHot
OnesLike ParameterizedTruncatedNormal Placeholder Queue RandomShuffle RandomStandardNormal RandomUniform
RandomUniformInt Range Rank Rint Round ScatterAdd ScatterDiv ScatterMul ScatterNdAdd ScatterNdSub
ScatterNdUpdate ScatterSub ScatterUpdate Shape ShapeN Sign Size StatelessRandomNormal StatelessRandomUniform
StatelessTruncatedNormal StopGradient TruncateDiv TruncatedNormal Unique UniqueV2 UniqueWithCounts UpperBound VariableShape
VarIsInitializedOp EmptyTensorList FakeParam TensorArrayCloseV3 TensorArraySizeV3 TensorArrayV3 TensorListElementShape
TensorListLength TensorListReserve Where ZerosLike IsVariableInitialized
`;

const NOT_DIFFERENTIABLE: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));

/** Whether the gradient of an op ends there, as that of StopGradient. */
export function endsGradients(type: string): boolean {
  return NOT_DIFFERENTIABLE.has(type) || /Summary(V2)?$/.test(type);
}
