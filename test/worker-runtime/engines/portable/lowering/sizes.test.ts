/** Gradients of sums expand a value to the shape of a tensor. */
import { expect, test } from "vitest";
import { ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";

const lowerings = createLoweringRegistry();
const gradient = Tensor.of(1, "float32", [1, 1]);
const sizes = Tensor.of([2, 3], "int32");

test.each([
  ["Tile", [gradient, sizes]],
  ["BroadcastTo", [gradient, sizes]],
  ["Fill", [sizes, Tensor.of(1, "float32")]],
  ["Reshape", [Tensor.of(1, "float32", [6]), sizes]],
] as const)(
  "the sizes that %s is given by Shape are not cast, which WebGPU would do on the GPU",
  (op, inputs) => {
    const model = new ModelBuilder();
    const asked: string[] = [];
    const lower = (example: Parameters<typeof nodeOf>[0], given: readonly OnnxValue[]): OnnxValue => {
      const node = nodeOf(example);
      const rank = ({ name }: OnnxValue) =>
        example.inputs[given.findIndex((value) => value.name === name)]?.shape.length ?? 0;
      const unknown = (what: string) => () => {
        asked.push(what);
        return undefined;
      };
      const [made] =
        lowerings.find(node)?.lower(node, given, {
          model,
          isOnGpu: false,
          blockedChannels: undefined,
          rank,
          shape: unknown("shape"),
          likelyShape: () => undefined,
          value: unknown("value"),
        }) ?? [];
      if (made === undefined) throw new Error(`${example.op} is declined.`);
      return made;
    };
    const like = model.input("float32", 2);
    const shape = lower(
      { op: "Shape", inputs: [Tensor.of(0, "float32", [2, 3])], attrs: { out_type: "int32" } },
      [like],
    );
    expect(shape.dtype).toBe("int32");
    const given = inputs.map((tensor) =>
      tensor === sizes ? shape : model.input(tensor.dtype, tensor.shape.length),
    );
    model.output(lower({ op, inputs }, given));
    const { graph } = ModelProto.decode(model.build("expanded"));
    const operators = graph?.node.map(({ opType }) => opType);
    expect(operators).toContain("Shape");
    expect(operators).not.toContain("Cast");
    // The model is for all sizes.
    expect(asked).toEqual([]);
  },
);
