/** Models of checkpoints, whose names a graph's own Savers know. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ModelExporter } from "../../../main/runs/model-export.js";
import { Jobs } from "../../../main/runs/tensors/jobs.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { TensorShapeProto } from "../../../protos/generated/tensorflow/tensor_shape.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";

const FLOAT: AttrValue = { value: { $case: "type", value: DataType.DT_FLOAT } };
const SHAPE: AttrValue = {
  value: { $case: "shape", value: TensorShapeProto.fromPartial({ dim: [{ size: 2n }] }) },
};
const texts = (...values: string[]) =>
  new Map<string, AttrValue>([
    ["dtype", { value: { $case: "type", value: DataType.DT_STRING } }],
    ["value", { value: { $case: "tensor", value: tensorToProto(Tensor.of(values, "string")) } }],
  ]);

/** A Saver that restores the variable "v" from another name. */
const saver = (scope: string, key: string) => [
  { name: `${scope}/Const`, op: "Const", attr: texts("model") },
  { name: `${scope}/names`, op: "Const", attr: texts(key) },
  { name: `${scope}/slices`, op: "Const", attr: texts("") },
  {
    name: `${scope}/RestoreV2`,
    op: "RestoreV2",
    input: [`${scope}/Const`, `${scope}/names`, `${scope}/slices`],
  },
  {
    name: `${scope}/Assign`,
    op: "Assign",
    input: ["v", `${scope}/RestoreV2:0`],
    attr: new Map([["T", FLOAT]]),
  },
  { name: `${scope}/restore_all`, op: "NoOp", input: [`^${scope}/Assign`] },
];

const graph = GraphDef.encode(
  GraphDef.fromPartial({
    node: [
      {
        name: "v",
        op: "VariableV2",
        attr: new Map([
          ["dtype", FLOAT],
          ["shape", SHAPE],
        ]),
      },
      { name: "read", op: "Identity", input: ["v"], attr: new Map([["T", FLOAT]]) },
      ...saver("save", "first"),
      ...saver("save_1", "second"),
    ],
  }),
).finish();

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-model-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each([
  ["save/restore_all", [1, 2]],
  ["save_1/restore_all", [3, 4]],
])("a model has the values that %s would restore", async (restoreOp, expected) => {
  const checkpoint = join(folder, "model");
  const writer = await BundleWriter.create(checkpoint, { resolve: (path) => Promise.resolve(path) });
  await writer.add("first", Tensor.of([1, 2]));
  await writer.add("second", Tensor.of([3, 4]));
  await writer.finish();
  const exporter = new ModelExporter({
    // No task is asked.
    cluster: { membership: "dynamic", tasks: () => [], noteVariables: () => undefined },
    jobs: new Jobs(() => undefined),
  });
  const path = join(folder, "frozen.pb");
  await exporter.handlers["models.export"](
    {
      graph,
      format: "frozen",
      inputs: {},
      outputs: { y: "read:0" },
      path,
      checkpoint,
      restoreOp,
      overwrite: false,
      jobId: "1",
    },
    THIS_PROGRAM,
  );
  const values = GraphDef.decode(await readFile(path)).node.flatMap(({ attr }) => {
    const value = attr.get("value")?.value;
    return value?.$case === "tensor" ? [tensorFromProto(value.value).toArray()] : [];
  });
  expect(values).toEqual([expected]);
  await exporter.dispose();
});
