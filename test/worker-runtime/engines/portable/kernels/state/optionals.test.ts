import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";

const float = { output_types: ["float32"], output_shapes: [[]] };

test("an optional has its values or none", async () => {
  const { graph } = new Program("optionals");
  const some = graph.op("OptionalFromValue", [[Tensor.of(2.5, "float32")]]);
  const none = graph.op("OptionalNone", []);
  const run = async (...operations: Parameters<MiniSession["run"]>[0]["operations"]) =>
    (await new MiniSession().run({ operations, feeds: new Map() })).map((tensor) => tensor.toArray());
  expect(await run(graph.op("OptionalHasValue", [some]), graph.op("OptionalHasValue", [none]))).toEqual([
    true,
    false,
  ]);
  expect(await run(graph.op("OptionalGetValue", [some], float))).toEqual([2.5]);
  await expect(run(graph.op("OptionalGetValue", [none], float))).rejects.toMatchObject({
    codeName: "INVALID_ARGUMENT",
  });
});

test("what is no optional is refused", async () => {
  const { graph } = new Program("no optional");
  const dataset = graph.op("TensorDataset", [[Tensor.of(1, "float32")]], { output_shapes: [[]] });
  const operations = [graph.op("OptionalHasValue", [dataset])];
  await expect(new MiniSession().run({ operations, feeds: new Map() })).rejects.toMatchObject({
    codeName: "INVALID_ARGUMENT",
  });
});
