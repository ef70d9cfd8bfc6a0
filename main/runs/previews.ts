import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { TensorPreview } from "../api/runs.js";

/** The part of a tensor that a window shows without requesting more. */
const PREVIEW_ELEMENTS = 1000;
/** A string of a tensor can be a whole file. */
const MAX_ELEMENT_CHARACTERS = 2000;

/** The first elements of a tensor as text, in row-major order. */
export function previewTensor(name: string, tensor: Tensor): TensorPreview {
  const end = Math.min(tensor.size, PREVIEW_ELEMENTS);
  const values: string[] = [];
  for (let i = 0; i < end; i++) values.push(shortened(tensor.elementText(i)));
  return {
    name,
    dtype: tensor.dtype,
    shape: [...tensor.shape],
    values,
    elementCount: tensor.size,
    byteLength: tensor.byteLength,
  };
}

/** A text of an element, cut if it is long. */
export function shortened(text: string): string {
  return text.length > MAX_ELEMENT_CHARACTERS ? `${text.slice(0, MAX_ELEMENT_CHARACTERS)}…` : text;
}
