/** Tensors of checkpoints, put together from the slices that are stored. */
import type { DType } from "../../protocol/dtype.js";
import { elementsOfShape, shapeText } from "../../protocol/shape.js";
import { dataLoss, invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { entriesPerElement, isByteList, type TensorData, zeros } from "../../protocol/tensor-data.js";
import type { SavedTensorInfo } from "./saved-tensors.js";
import { overlapsOf, sliceShape, sliceText, type TensorSlice } from "./tensor-slice.js";

/**
 * The dtypes for which TensorFlow restores slices that are not stored as such (`BundleReader::GetSliceValue`, measured
 * with 2.21). It rejects all others, even if a partitioned tensor is restored as a whole.
 */
const SLICEABLE: ReadonlySet<DType> = new Set([
  "float32",
  "float64",
  "bfloat16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "bool",
  "complex64",
  "complex128",
  "qint8",
  "quint8",
  "qint32",
  "int4",
  "uint4",
]);

/** TensorFlow's C++ names of dtypes that differ from Python's; only of dtypes that are not sliceable. */
const TEXTS_OF_DTYPES: Partial<Record<DType, string>> = { float16: "half" };

/** A stored slice of a tensor. */
export interface SavedSlicePart {
  readonly slice: TensorSlice;
  read(): Promise<Tensor>;
}

export interface WantedTensor {
  readonly name: string;
  /** dtype and shape of the whole tensor. */
  readonly info: SavedTensorInfo;
  readonly wanted: TensorSlice;
  readonly parts: readonly SavedSlicePart[];
}

/**
 * Reads a slice of a tensor from those that are stored.
 *
 * @throws TensorFlowError INVALID_ARGUMENT if they do not cover it, or TensorFlow does not restore slices of this dtype;
 *   DATA_LOSS if they are not what the checkpoint says.
 */
export async function assembleSlices({ name, info, wanted, parts }: WantedTensor): Promise<Tensor> {
  const shape = sliceShape(info.shape, wanted);
  const count = elementsOfShape(shape);
  const used: { readonly part: SavedSlicePart; readonly common: number }[] = [];
  let covered = 0;
  for (const part of parts) {
    let common = 0;
    for (const overlap of overlapsOf(info.shape, part.slice, wanted)) {
      common += overlap.count;
    }
    if (common > 0) {
      covered += common;
      used.push({ part, common });
    }
  }
  if (covered < count) {
    throw invalidArgument(
      `Does not have sufficient slices for partitioned tensor ${name} to restore in slice_spec: ${sliceText(wanted)}`,
    );
  }
  // A stored slice equal to the requested one is read directly; anything else is copied from slices.
  const isExact = used.some(
    ({ part, common }) => common === count && elementsOfShape(sliceShape(info.shape, part.slice)) === count,
  );
  if (count > 0 && !isExact && !SLICEABLE.has(info.dtype)) {
    throw invalidArgument(`Dtype ${TEXTS_OF_DTYPES[info.dtype] ?? info.dtype} not supported.`);
  }
  // The slices are read first: their size is limited by the files, so a shape alone allocates nothing.
  const sources: { readonly tensor: Tensor; readonly slice: TensorSlice }[] = [];
  for (const { part } of used) {
    const { slice } = part;
    const partShape = sliceShape(info.shape, slice);
    const tensor = await part.read();
    if (tensor.dtype !== info.dtype || shapeText(tensor.shape) !== shapeText(partShape)) {
      throw dataLoss(
        `The part ${sliceText(slice)} of ${name} has another dtype or shape than ${name} itself.`,
      );
    }
    sources.push({ tensor, slice });
  }
  const data = zeros(info.dtype, count);
  for (const { tensor, slice } of sources) {
    for (const overlap of overlapsOf(info.shape, slice, wanted)) {
      copyElements(info.dtype, tensor.data, data, overlap);
    }
  }
  return new Tensor(info.dtype, shape, data);
}

function copyElements(
  dtype: DType,
  source: TensorData,
  target: TensorData,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): void {
  if (isByteList(source)) {
    for (let index = 0; index < count; index += 1) {
      (target as Uint8Array[])[to + index] = source[from + index] ?? new Uint8Array(0);
    }
    return;
  }
  const width = entriesPerElement(dtype);
  // Both arrays have the same dtype, which TypeScript cannot infer from the union.
  (target as Uint8Array).set(source.subarray(from * width, (from + count) * width) as Uint8Array, to * width);
}
