/** A model of ONNX in the window: opened, run and looked at. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import {
  AttributeProto,
  AttributeProto_AttributeType,
  ModelProto,
  NodeProto,
} from "../../protos/generated/onnx/onnx.js";
import { onnxDataType, tensorProto } from "../../worker-runtime/engines/portable/onnx/tensor-proto.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../support/peers.js";
import { savePicture } from "../support/pictures.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** scores = Softmax(Gemm(Relu(features · w + b))) with weights that leave [0.25, 0.75] of [1, 2]. */
function model(): Uint8Array {
  const dense = (name: string, input: string, output: string, weights: readonly string[]) =>
    NodeProto.fromPartial({ name, opType: "Gemm", input: [input, ...weights], output: [output] });
  const axis = AttributeProto.fromPartial({ name: "axis", type: AttributeProto_AttributeType.INT, i: -1n });
  const tensorType = (sizes: readonly number[]) => ({
    tensorType: {
      elemType: onnxDataType("float32"),
      shape: { dim: sizes.map((size) => ({ value: { $case: "dimValue" as const, value: BigInt(size) } })) },
    },
  });
  return ModelProto.encode(
    ModelProto.fromPartial({
      irVersion: 8n,
      opsetImport: [{ domain: "", version: 17n }],
      graph: {
        name: "small",
        node: [
          dense("/hidden/Gemm", "features", "hidden", ["w", "b"]),
          NodeProto.fromPartial({
            name: "/hidden/Relu",
            opType: "Relu",
            input: ["hidden"],
            output: ["kept"],
          }),
          dense("/head/Gemm", "kept", "sums", ["v", "c"]),
          NodeProto.fromPartial({
            ...{ name: "/head/Softmax", opType: "Softmax", input: ["sums"], output: ["scores"] },
            attribute: [axis],
          }),
        ],
        initializer: [
          tensorProto("w", Tensor.of([1, 0, -1, 0, 1, 0], "float32", [2, 3])),
          tensorProto("b", Tensor.of([0, 0, 0], "float32", [3])),
          tensorProto("v", Tensor.of([0, 0, 0, 0, 1, 1], "float32", [3, 2])),
          tensorProto("c", Tensor.of([0, Math.log(3)], "float32", [2])),
        ],
        input: [{ name: "features", type: tensorType([1, 2]) }],
        output: [{ name: "scores" }],
      },
    }),
  ).finish();
}

describe.skipIf(peerMissing("chromium"))("a model of ONNX in the window", () => {
  test("is opened with its weights, runs and is shown", async ({ window, app }) => {
    writeFileSync(join(app.folder, "small.onnx"), model());
    await window.startTwoWorkers();
    await window.openFile("small.onnx");
    await window.node("features").waitFor();
    expect(await window.page.title()).toBe("small · Tensordeck");
    await window.dockTab("What to run").click();
    const value = window.page.getByRole("region", { name: "Feeds" }).getByRole("textbox", { name: "Value" });
    await value.first().fill("[[1, 2]]");
    await value.first().press("Tab");
    await window.runButton.click();
    await window.dockTab("Results").click();
    const scores = window.page
      .getByRole("row", { name: /^head\/Softmax\/Softmax:0/ })
      .getByText(/^\[0\.\d+, 0\.\d+\]$/);
    const [first, second] = (await scores.innerText()).match(/\d\.\d+/g) ?? [];
    expect(Number(first)).toBeCloseTo(0.25, 5);
    expect(Number(second)).toBeCloseTo(0.75, 5);
    await savePicture("onnx-model", () => window.page.screenshot());
  });
});
