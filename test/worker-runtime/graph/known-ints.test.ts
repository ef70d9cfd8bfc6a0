import { expect, it } from "vitest";
import { hasKnownInts, intsOfTensor, MAX_KNOWN_INTS } from "../../../worker-runtime/graph/known-ints.js";
import { Tensor, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";

const most = Array.from({ length: MAX_KNOWN_INTS }, (_, i) => i);

it.each([
  { what: "a scalar", tensor: Tensor.of(7, "int32"), elements: [7] },
  { what: "a vector", tensor: Tensor.of([3, -1], "int64"), elements: [3, -1] },
  { what: "bytes", tensor: Tensor.of([1], "uint8"), elements: [1] },
  { what: "the longest vector", tensor: Tensor.of(most, "int32"), elements: most },
  { what: "a longer vector", tensor: Tensor.of([...most, 0], "int32"), elements: undefined },
  { what: "a matrix", tensor: Tensor.of([[1, 2]], "int32"), elements: undefined },
  { what: "real numbers", tensor: Tensor.of([1, 2], "float32"), elements: undefined },
])("$what: what is followed is known without decoding it", ({ tensor, elements }) => {
  expect(intsOfTensor(tensor)?.elements).toEqual(elements);
  expect(hasKnownInts(tensorToProto(tensor))).toBe(elements !== undefined);
});
