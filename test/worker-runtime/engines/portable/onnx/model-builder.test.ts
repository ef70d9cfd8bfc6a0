import { expect, test } from "vitest";
import { ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { ModelBuilder } from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

test("a model has the nodes and constants that its outputs need, in their order, and no others", () => {
  const model = new ModelBuilder();
  const x = model.input("float32", 1);
  const used = model.constant(Tensor.of(2));
  const unused = model.constant(Tensor.of(3));
  const double = model.node("Mul", [x, used], "float32");
  model.node("Mul", [double, unused], "float32");
  const [top] = model.nodes("TopK", [double, used], ["float32", "int64"]);
  const output = model.output(top ?? x);
  const graph = ModelProto.decode(model.build("some")).graph;
  expect(graph?.node.map(({ opType }) => opType)).toEqual(["Mul", "TopK", "Identity"]);
  expect(graph?.initializer.map(({ name }) => name)).toEqual([used.name]);
  expect(graph?.output.map(({ name }) => name)).toEqual([output.name]);
});

test("a rank that is said of a node's output is in the model", () => {
  const model = new ModelBuilder();
  const x = model.input("float32", 4);
  const y = model.node("Conv", [x, model.input("float32", 4)], "float32", { rank: 4 });
  model.output(y);
  const [info] = ModelProto.decode(model.build("some")).graph?.valueInfo ?? [];
  expect(info?.name).toBe(y.name);
  expect(info?.type?.tensorType?.shape?.dim).toHaveLength(4);
});

test("a branch uses values outside it, which the model therefore has", () => {
  const model = new ModelBuilder();
  const [x, condition] = [model.input("float32", 1), model.input("bool", 0)];
  const [used, unused] = [model.node("Exp", [x], "float32"), model.node("Log", [x], "float32")];
  const two = model.constant(Tensor.of(2));
  const chosen = model.branch(
    condition,
    () => model.node("Mul", [used, two], "float32"),
    () => used,
  );
  model.branch(
    condition,
    () => unused,
    () => used,
  );
  model.output(chosen);
  const graph = ModelProto.decode(model.build("some")).graph;
  expect(graph?.node.map(({ opType }) => opType)).toEqual(["Exp", "If", "Identity"]);
  expect(graph?.initializer.map(({ name }) => name)).toEqual([two.name]);
  const branches = graph?.node[1]?.attribute.map(({ name, g }) => [
    name,
    g?.node.map(({ opType }) => opType),
  ]);
  expect(branches).toEqual([
    ["then_branch", ["Mul", "Identity"]],
    ["else_branch", ["Identity"]],
  ]);
});
