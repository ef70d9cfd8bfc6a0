/** The parts of values that Python and TypeScript write alike. */
import { base64Encode } from "@bufbuild/protobuf/wire";
import { zlibSync } from "fflate";
import type { Tensor } from "../../protocol/tensor.js";
import { isByteList } from "../../protocol/tensor-data.js";

/** A constant of more elements is written as encoded bytes. */
export const MAX_WRITTEN_ELEMENTS = 64;

/** Bytes as a literal: the base64 text of their zlib compression. */
export function dataLiteral(bytes: Uint8Array): string {
  return `"${base64Encode(zlibSync(bytes))}"`;
}

/** Nested lists of all elements; the element itself for a scalar. */
export function nestedText({ shape }: Tensor, element: (index: number) => string): string {
  let next = 0;
  const level = (depth: number): string => {
    const length = shape[depth];
    if (length === undefined) return element(next++);
    return `[${Array.from({ length }, () => level(depth + 1)).join(", ")}]`;
  };
  return level(0);
}

/** Whether all elements are equal, bit by bit. Not for strings and complex numbers, which are written out. */
export function isUniform({ dtype, data }: Tensor): boolean {
  if (isByteList(data) || dtype.startsWith("complex")) return false;
  const first = data[0];
  return data.every((value) => Object.is(value, first));
}
