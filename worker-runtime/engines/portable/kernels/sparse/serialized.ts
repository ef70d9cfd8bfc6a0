import { TensorProto, VariantTensorDataProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../../protocol/tensor.js";
import { eachOf, mapped, type PausingWork } from "../../pauses.js";
import { ObjectTensor, type Value, type VariantObject } from "../../values.js";
import type { Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { joining, runAt } from "../state/tensor-batches.js";
import { checkExpansion } from "../support/allocation.js";
import { anyType } from "../support/dtypes.js";
import { stringsOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { atPauses } from "../support/turns.js";
import { type SparseTensor, sparseOf } from "./sparse-tensor.js";

/** The parts of a sparse tensor: indices, values and shape. */
const PARTS = 3;

const TENSOR_VARIANT = "tensorflow::Tensor";

/** A tensor as an element of a variant tensor: datasets represent a sparse tensor by three of them. */
class TensorVariant implements VariantObject {
  readonly typeName = TENSOR_VARIANT;
  readonly tensor: Tensor;

  constructor(tensor: Tensor) {
    this.tensor = tensor;
  }

  encode(): VariantTensorDataProto {
    return VariantTensorDataProto.fromPartial({
      typeName: this.typeName,
      tensors: [tensorToProto(this.tensor)],
    });
  }
}

/** The tensor in a variant created by this task or another one. @throws TensorFlowError INVALID_ARGUMENT */
function tensorOfVariant(object: VariantObject): Tensor {
  if (object instanceof TensorVariant) {
    return object.tensor;
  }
  const [proto] = object.typeName === TENSOR_VARIANT ? object.encode().tensors : [];
  if (proto === undefined) {
    throw invalidArgument(`Could not get a tensor from a variant of type ${object.typeName}`);
  }
  checkExpansion(proto);
  return tensorFromProto(proto);
}

function tensorOfBytes(bytes: Uint8Array): Tensor {
  let proto: TensorProto;
  try {
    proto = TensorProto.decode(bytes);
  } catch (error) {
    throw invalidArgument("Could not parse serialized proto", { cause: error });
  }
  checkExpansion(proto);
  return tensorFromProto(proto);
}

type Parts = readonly [indices: Tensor, values: Tensor, shape: Tensor];

/** Tensors that are encoded or decoded, or rows, between two pauses: a few milliseconds' work. */
const ITEMS_PER_PAUSE = 256;

/** Serializes sparse tensors in the form that a node requests: a row of three for each. */
function* serializing(
  node: KernelNode,
  rows: readonly Parts[],
  shape: readonly number[],
): PausingWork<Outputs> {
  const tensors = rows.flat();
  if (node.type("out_type") !== "string") {
    return [variantRow(tensors, shape)];
  }
  const encode = (tensor: Tensor) => TensorProto.encode(tensorToProto(tensor)).finish();
  return [new Tensor("string", shape, yield* mapped(tensors, encode, ITEMS_PER_PAUSE))];
}

function variantRow(tensors: readonly Tensor[], shape: readonly number[]): ObjectTensor<VariantObject> {
  return new ObjectTensor<VariantObject>(
    "variant",
    shape,
    tensors.map((tensor) => new TensorVariant(tensor)),
  );
}

/** A sparse tensor as a vector of three variants, as in datasets. */
export function variantOfSparse(indices: Tensor, values: Tensor, shape: Tensor): ObjectTensor<VariantObject> {
  return variantRow([indices, values, shape], [PARTS]);
}

/** The slices of a sparse tensor along its first dimension; its elements are ordered by it. */
function* slicing({ indices, values, shape, rank, count }: SparseTensor): PausingWork<Parts[]> {
  if (rank < 2) {
    throw invalidArgument(`Rank of input SparseTensor should be > 1, but saw rank: ${rank}`);
  }
  const rowShape = longs(shape.slice(1));
  let at = 0;
  const slice = (row: number): Parts => {
    const first = at;
    while (at < count && (indices[at * rank] ?? 0) === row) {
      at += 1;
    }
    const indexes = new BigInt64Array((at - first) * (rank - 1));
    for (let i = first; i < at; i += 1) {
      for (let d = 1; d < rank; d += 1) {
        indexes[(i - first) * (rank - 1) + d - 1] = BigInt(indices[i * rank + d] ?? 0);
      }
    }
    return [
      new Tensor("int64", [at - first, rank - 1], indexes),
      runAt(values, first, [at - first]),
      rowShape,
    ];
  };
  const rows: Parts[] = [];
  for (let row = 0; row < (shape[0] ?? 0); row += 1) {
    rows.push(slice(row));
    if (rows.length % ITEMS_PER_PAUSE === 0) {
      yield;
    }
  }
  return rows;
}

function* serializingRows(node: KernelNode, sparse: SparseTensor): PausingWork<Outputs> {
  const rows = yield* slicing(sparse);
  checkOrder(sparse);
  return yield* serializing(node, rows, [rows.length, PARTS]);
}

/** @throws TensorFlowError INVALID_ARGUMENT for elements that are not ordered. */
function checkOrder({ indices, rank, count }: SparseTensor): void {
  for (let i = 1; i < count; i += 1) {
    for (let d = 0; d < rank; d += 1) {
      const step = (indices[i * rank + d] ?? 0) - (indices[(i - 1) * rank + d] ?? 0);
      if (step < 0 || (step === 0 && d === rank - 1)) {
        throw invalidArgument(
          `indices[${i}] is ${step < 0 ? "out of order" : "repeated"}. Many sparse ops require sorted indices.`,
        );
      }
      if (step > 0) {
        break;
      }
    }
  }
}

function longs(values: readonly number[]): Tensor {
  return new Tensor("int64", [values.length], BigInt64Array.from(values, BigInt));
}

/** The parts stored in a tensor of serialized sparse tensors. */
function partsOf(value: Value | undefined): PausingWork<readonly Tensor[]> {
  return value instanceof ObjectTensor
    ? mapped(value.elements as readonly VariantObject[], tensorOfVariant, ITEMS_PER_PAUSE)
    : mapped(stringsOf(tensorAt([value as Value], 0)), tensorOfBytes, ITEMS_PER_PAUSE);
}

/**
 * Joins all sparse tensors serialized in a tensor [..., 3]; the result's first dimensions are those of the tensor, the
 * others as large as the largest of all.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
function* deserializing(value: Value | undefined, dtype: DType): PausingWork<Outputs> {
  const shape = value instanceof ObjectTensor || value instanceof Tensor ? value.shape : [];
  if (shape.length === 0) {
    throw invalidArgument("Serialized sparse should have non-zero rank but is a scalar.");
  }
  if (shape.at(-1) !== PARTS) {
    throw invalidArgument(
      `Serialized sparse should have ${PARTS} as the last dimension ${cppShapeText(shape)}`,
    );
  }
  const outer = shape.slice(0, -1);
  if (outer.includes(0)) {
    throw invalidArgument(
      `Serialized sparse should have at least 1 serialized tensor, but has a zero dimension ${cppShapeText(shape)}`,
    );
  }
  const parts = yield* partsOf(value);
  const first = parts.filter((_, i) => i % PARTS === 0);
  const sparse = yield* mapped(first, (_, i) => sparseAtRow(parts, i, dtype), ITEMS_PER_PAUSE);
  const rank = sparse[0]?.rank ?? 0;
  const sizes = new Array<number>(rank).fill(0);
  for (const [i, one] of sparse.entries()) {
    if (one.rank !== rank) {
      throw invalidArgument(
        `Inconsistent shape across SparseTensors: rank prior to SparseTensor[${i}] was: ${rank} but rank of ` +
          `SparseTensor[${i}] is: ${one.rank}`,
      );
    }
    for (const [d, size] of one.shape.entries()) {
      sizes[d] = Math.max(sizes[d] ?? 0, size);
    }
  }
  const total = sparse.reduce((sum, { count }) => sum + count, 0);
  return [
    yield* joiningIndices(sparse, outer, rank, total),
    yield* joining(
      dtype,
      [total],
      sparse.map(({ values }) => values),
    ),
    longs([...outer, ...sizes]),
  ];
}

function sparseAtRow(parts: readonly Tensor[], row: number, dtype: DType): SparseTensor {
  const [indices, values, shape] = parts.slice(row * PARTS, (row + 1) * PARTS);
  if (indices?.dtype !== "int64" || shape?.dtype !== "int64" || values === undefined) {
    throw invalidArgument(`Expected the indices and the shape of SparseTensor[${row}] to be of type int64.`);
  }
  if (values.dtype !== dtype) {
    throw invalidArgument(
      `Requested SparseTensor of type ${dtype} but SparseTensor[${row}].values.dtype() == ${values.dtype}`,
    );
  }
  return sparseOf(indices, values, shape);
}

/** The indexes of all elements, each preceded by the index of its tensor. */
function* joiningIndices(
  sparse: readonly SparseTensor[],
  outer: readonly number[],
  rank: number,
  total: number,
): PausingWork<Tensor> {
  const width = outer.length + rank;
  const indexes = new BigInt64Array(total * width);
  let at = 0;
  const put = ({ indices, count }: SparseTensor, i: number): void => {
    const prefix = outer.map((size, d) => BigInt(Math.floor(i / productOf(outer, d + 1)) % size));
    for (let element = 0; element < count; element += 1) {
      indexes.set(prefix, at);
      for (let d = 0; d < rank; d += 1) {
        indexes[at + outer.length + d] = BigInt(indices[element * rank + d] ?? 0);
      }
      at += width;
    }
  };
  yield* eachOf(sparse, put, ITEMS_PER_PAUSE);
  return new Tensor("int64", [total, width], indexes);
}

/** Serialization of sparse tensors to strings or variants, for files and datasets. */
export const serializedSparseKernels: readonly StatefulKernelDefinition[] = [
  statefulKernel(
    "SerializeSparse",
    (node) =>
      ({ inputs, step }) => {
        const parts: Parts = [tensorAt(inputs, 0), tensorAt(inputs, 1), tensorAt(inputs, 2)];
        sparseOf(...parts);
        return atPauses(serializing(node, [parts], [PARTS]), step.signal);
      },
    { types: { T: anyType, out_type: ["string", "variant"] } },
  ),
  statefulKernel(
    "SerializeManySparse",
    (node) =>
      ({ inputs, step }) => {
        const sparse = sparseOf(tensorAt(inputs, 0), tensorAt(inputs, 1), tensorAt(inputs, 2));
        return atPauses(serializingRows(node, sparse), step.signal);
      },
    { types: { T: anyType, out_type: ["string", "variant"] } },
  ),
  ...["DeserializeSparse", "DeserializeManySparse"].map((op) =>
    statefulKernel(
      op,
      (node) => {
        const dtype = node.type("dtype");
        return ({ inputs, step }) => atPauses(deserializing(inputs[0], dtype), step.signal);
      },
      {
        types: {
          dtype: anyType,
          ...(op === "DeserializeSparse" ? { Tserialized: ["string", "variant"] } : {}),
        },
      },
    ),
  ),
];
