import { type DType, dtypeKind } from "../protocol/dtype.js";
import { invalidArgument, TensorFlowError } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { isByteList, type NumericArray } from "../protocol/tensor-data.js";
import type { TensorElement } from "../protocol/tensor-values.js";
import { checkFloatRange, ElementError } from "./parse-element.js";

type Family = "real" | "complex" | "string" | "opaque";

function familyOf(dtype: DType): Family {
  const kind = dtypeKind(dtype);
  return kind === "complex" || kind === "string" || kind === "opaque" ? kind : "real";
}

/** Whether the second dtype holds every value of the first one, so elements need no check. */
function holdsAllOf(from: DType, to: DType): boolean {
  return (
    (to === "float64" && from !== "float64" && dtypeKind(from) !== "long") ||
    (to === "float32" && dtypeKind(from) === "bits")
  );
}

/** Numbers as float32 or float64, copied as a whole; undefined if elements must be checked. */
function quickFloats(from: DType, data: NumericArray, to: DType): NumericArray | undefined {
  const kind = dtypeKind(from);
  if ((to !== "float32" && to !== "float64") || kind === "bits" || kind === "long" || kind === "complex")
    return undefined;
  const source = data as Float64Array;
  const target = to === "float32" ? new Float32Array(source) : new Float64Array(source);
  if (from === "float64" && to === "float32") {
    for (let i = 0; i < target.length; i += 1) {
      if (!Number.isFinite(target[i]) && Number.isFinite(source[i])) return undefined;
    }
  }
  return target;
}

function positionText(index: number, shape: readonly number[]): string {
  const position: number[] = [];
  let rest = index;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const size = shape[axis] ?? 1;
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `[${position.join(", ")}]`;
}

/**
 * Converts values to another dtype. Numbers are checked: integer dtypes accept integers in their range, floats accept
 * numbers that do not overflow (they are rounded), bool accepts 0 and 1. Numbers are not converted to text or the
 * reverse, nor complex numbers to real ones.
 * @throws TensorFlowError INVALID_ARGUMENT that names the first element that does not fit
 */
export function convertTensor(tensor: Tensor, dtype: DType): Tensor {
  if (tensor.dtype === dtype) return tensor;
  const from = familyOf(tensor.dtype);
  const to = familyOf(dtype);
  if (from !== to && !(from === "real" && to === "complex")) {
    throw invalidArgument(`Values of ${tensor.dtype} cannot become ${dtype}.`);
  }
  if (isByteList(tensor.data)) {
    throw invalidArgument(`Values of ${tensor.dtype} cannot become ${dtype}.`);
  }
  const quick = quickFloats(tensor.dtype, tensor.data, dtype);
  if (quick !== undefined) return new Tensor(dtype, tensor.shape, quick);
  const checked = to !== "complex" && !holdsAllOf(tensor.dtype, dtype);
  const toFloat = dtypeKind(dtype) === "float" || dtypeKind(dtype) === "bits";
  const elements = new Array<TensorElement>(tensor.size);
  for (let i = 0; i < elements.length; i += 1) {
    let element = tensor.at(i);
    if (typeof element === "boolean") element = element ? 1 : 0;
    if (checked && toFloat && typeof element === "number") {
      try {
        checkFloatRange(element, dtype, Number.isFinite(element) ? String(element) : "");
      } catch (error) {
        if (!(error instanceof ElementError)) throw error;
        throw invalidArgument(`Element ${positionText(i, tensor.shape)}: ${error.message}.`, {
          cause: error,
        });
      }
    }
    elements[i] = element as TensorElement;
  }
  try {
    return Tensor.of(elements, dtype, tensor.shape);
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    throw invalidArgument(`The ${tensor.dtype} values do not fit ${dtype}: ${error.message}`, {
      cause: error,
    });
  }
}
