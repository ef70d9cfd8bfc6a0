import { expect, test } from "vitest";
import {
  fromFloat32,
  toFloat32,
} from "../../../../../../worker-runtime/engines/portable/kernels/support/small-floats.js";
import { bitsFromNumber } from "../../../../../../worker-runtime/protocol/small-float.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";

/** Every value of the format, and the numbers half-way and a little beside half-way to the next one. */
function trialValues(dtype: "float16" | "bfloat16"): Float32Array {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const values = toFloat32(new Tensor(dtype, [65536], bits)).data as Float32Array;
  const between = Array.from(values.slice(0, 65535), (value, i) => (value + (values[i + 1] ?? 0)) / 2);
  const near = between.flatMap((value) => [value, value * (1 + 1e-6), value * (1 - 1e-6)]);
  return Float32Array.from([...values, ...near, 65519.9, 65520, 1e-8, -1e-8, 3e38, 3.4e38]);
}

test.each(["float16", "bfloat16"] as const)("%s is rounded as the general conversion does", (dtype) => {
  const values = trialValues(dtype);
  const rounded = fromFloat32(dtype, new Tensor("float32", [values.length], values)).data;
  const wrong = values.filter(
    (value, i) => rounded[i] !== bitsFromNumber(dtype, value) && !Number.isNaN(value),
  );
  expect(Array.from(wrong)).toEqual([]);
});
