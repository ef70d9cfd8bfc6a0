/** Products whose first factor is padded, since its rows would evict each other from the cache. */
import { afterEach, expect, test } from "vitest";
import { ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";
import { tensorDifference } from "../kernels/tensor-difference.js";
import { nodeModel } from "./node-model.js";
import { OnnxSessions } from "./onnx-sessions.js";

const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();
const sessions = new OnnxSessions();
afterEach(() => sessions.release());

/** Whole numbers, whose products are exact in any order. */
function whole(shape: readonly [number, number]): Tensor {
  const values = Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => ((i * 7919) % 7) - 3);
  return Tensor.of(values, "float32", shape);
}

test.each([
  { left: [512, 1024], right: [1024, 3], transposed: false, pads: 2 },
  { left: [512, 1024], right: [3, 1024], transposed: true, pads: 2 },
  { left: [512, 1000], right: [1000, 3], transposed: false, pads: 0 },
  { left: [100, 1024], right: [1024, 3], transposed: false, pads: 0 },
] as const)("$left by $right", async ({ left, right, transposed, pads }) => {
  const inputs = [whole([...left]), whole([...right])];
  const node = nodeOf({ op: "MatMul", inputs, attrs: { transpose_a: false, transpose_b: transposed } });
  const [lowering, kernel] = [lowerings.find(node), kernels.find(node, "CPU")];
  const model =
    lowering && nodeModel(node, lowering, inputs, { name: "", shapes: false, isConstant: () => false });
  if (model === undefined || kernel?.kind !== "pure") {
    throw new Error("MatMul has no lowering or no kernel.");
  }
  const [[wanted], [given]] = [await kernel.create(node)(inputs), await sessions.run(model, inputs)];
  expect(wanted && given && tensorDifference(given, wanted, { ulps: 0, absolute: 0 })).toBeUndefined();
  expect(given?.shape).toEqual([left[0], 3]);
  const ops = ModelProto.decode(model.bytes).graph?.node.map(({ opType }) => opType) ?? [];
  expect(ops.filter((op) => op === "Pad")).toHaveLength(pads);
});
