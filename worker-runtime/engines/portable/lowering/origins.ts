/** How values were made: what lowerings of later nodes can use instead of the values themselves. */
import type { OnnxValue } from "../onnx/model-builder.js";

/** The gradient of a max pool's images, with their channels last: 0 but for one pixel of each window. */
export interface PlacedGradient {
  /** The gradient of each window. */
  readonly values: OnnxValue;
  /** The images. */
  readonly images: OnnxValue;
  /** The pixel of the images at the place of each value. */
  readonly pixels: OnnxValue;
  /** The gradient with other values at the same places. */
  place(values: OnnxValue): OnnxValue;
}

const placed = new WeakMap<OnnxValue, PlacedGradient>();

/** Whatever reduces or multiplies a gradient has a fraction of the work before its values are placed. */
export function placedGradient(value: OnnxValue): PlacedGradient | undefined {
  return placed.get(value);
}

/** @returns the values at their places, which `placedGradient` knows from then on. */
export function placeGradient(gradient: PlacedGradient): OnnxValue {
  const result = gradient.place(gradient.values);
  placed.set(result, gradient);
  return result;
}

/** The images that a convolution returns. */
export interface Convolved {
  readonly channelsFirst: boolean;
  /** The same convolution with a bias, if it has none. */
  withBias?(bias: OnnxValue): OnnxValue;
  /** The same followed by a Relu, if ONNX Runtime does not fuse that by itself. */
  withRelu?(): OnnxValue;
}

/** By result. ONNX's Conv adds a bias, and ONNX Runtime an activation after it, without another pass over the images. */
export const convolved = new WeakMap<OnnxValue, Convolved>();

/** A product of two matrices of floats. */
export interface MatrixProduct {
  /** The number of elements that each element of the product sums up, at present; undefined if unknown. */
  readonly inner: number | undefined;
  /** `scale` times the product, plus a matrix of its shape or a vector for each row. The model fails for other shapes. */
  plus(addend: OnnxValue, scale?: number): OnnxValue;
}

/** By result. ONNX's Gemm scales a product and adds to it, without further passes over the matrix. */
export const products = new WeakMap<OnnxValue, MatrixProduct>();
