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

test("an output that a branch uses is a copy", () => {
  const model = new ModelBuilder();
  const condition = model.input("bool", 0);
  const y = model.node("Conv", [model.input("float32", 4), model.input("float32", 4)], "float32", {
    rank: 4,
  });
  const z = model.node("Exp", [y], "float32");
  const [first, second] = [model.output(y), model.output(y)];
  const ofBranch = model.branch(
    condition,
    () => z,
    () => y,
  );
  const outputs = [first, second, model.output(z), model.output(ofBranch)];
  const used = model.node("Relu", [z], "float32");
  outputs.push(model.output(model.node("Add", [used, used], "float32")));
  const graph = ModelProto.decode(model.build("some")).graph;
  expect(graph?.output.map(({ name }) => name)).toEqual(outputs.map(({ name }) => name));
  const made = graph?.node.flatMap(({ opType, output }) => output.map((name) => [opType, name]));
  // The branch knows the convolution and the exponential by their own names.
  expect(made).toEqual([
    ["Conv", y.name],
    ["Exp", z.name],
    ["Identity", first.name],
    ["Identity", second.name],
    ["If", ofBranch.name],
    ["Identity", outputs[2]?.name],
    ["Identity", outputs[3]?.name],
    ["Relu", used.name],
    ["Add", expect.any(String)],
    ["Identity", outputs[4]?.name],
  ]);
});

test("a ranked output that other nodes use has the rank itself", () => {
  const model = new ModelBuilder();
  const y = model.node("Conv", [model.input("float32", 4), model.input("float32", 4)], "float32", {
    rank: 4,
  });
  const [first, second] = [model.output(y), model.output(y)];
  const third = model.output(model.node("Exp", [y], "float32"));
  const graph = ModelProto.decode(model.build("some")).graph;
  expect(graph?.node.map(({ opType, input, output }) => [opType, ...input, ...output].slice(-2))).toEqual([
    [expect.any(String), first.name],
    [first.name, second.name],
    [first.name, expect.any(String)],
    [expect.any(String), third.name],
  ]);
  expect(graph?.output[0]?.type?.tensorType?.shape?.dim).toHaveLength(4);
  expect(graph?.valueInfo).toEqual([]);
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
