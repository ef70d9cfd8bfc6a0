/** Values of variables that have stayed on a device, for code that reads elements. */
import { expect, it } from "vitest";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import {
  RESOURCE_VARIABLE,
  type ResourceVariable,
} from "../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, bool, constant, func, node, ret, text, type, typeList } from "../executor/graph-fixture.js";
import { numbers, startTask } from "./regions-fixture.js";

const T = type("float32");
const unknown: AttrValue["value"] = { $case: "shape", value: { dim: [], unknownRank: true } };
const shapes: AttrValue["value"] = {
  $case: "list",
  value: {
    s: [],
    i: [],
    f: [],
    b: [],
    type: [],
    shape: [{ dim: [], unknownRank: true }],
    tensor: [],
    func: [],
  },
};
const handle = node("VarHandleOp", "v", [], {
  dtype: T,
  shape: unknown,
  shared_name: text("v"),
  container: text(""),
});
/** Enough for the value to stay. */
const SIZE = 8192;

it("a dataset's elements are copied to the host", async () => {
  const library = FunctionDefLibrary.fromPartial({
    function: [
      {
        signature: {
          name: "read",
          inputArg: [
            { name: "number", type: 9 },
            { name: "variable", type: 20 },
          ],
          outputArg: [{ name: "value", type: 1 }],
        },
        nodeDef: [node("ReadVariableOp", "held", ["variable"], { dtype: T })],
        ret: new Map([["value", "held:value:0"]]),
      },
    ],
  });
  const task = startTask({ library });
  const ones = new Tensor("float32", [SIZE], new Float32Array(SIZE).fill(1));
  const assign = task.register([
    handle,
    arg("x", 0, "float32"),
    node("AssignVariableOp", "assign", ["v", "x"], { dtype: T, validate_shape: bool(false) }),
  ]);
  await assign.run({ args: [ones] });
  const add = task.register([
    handle,
    arg("x", 0, "float32"),
    node("AssignAddVariableOp", "add", ["v", "x"], { dtype: T }),
  ]);
  for (let step = 0; step < 2; step += 1) {
    await add.run({ args: [ones] });
  }
  const value = () => task.resources.lookup<ResourceVariable>("localhost", RESOURCE_VARIABLE, "v").value;
  expect(value()).toBeInstanceOf(DeviceTensor);

  const longs = typeList("int64");
  const floats = { output_types: typeList("float32"), output_shapes: shapes };
  const read = task.register([
    handle,
    constant("start", 0n, "int64"),
    constant("stop", 2n, "int64"),
    constant("one", 1n, "int64"),
    constant("two", 2n, "int64"),
    constant("whole", false, "bool"),
    node("RangeDataset", "range", ["start", "stop", "one"], { output_types: longs, output_shapes: shapes }),
    node("MapDataset", "map", ["range", "v"], {
      f: func("read"),
      Targuments: typeList("resource"),
      ...floats,
    }),
    node("BatchDatasetV2", "batch", ["map", "two", "whole"], floats),
    node("DatasetToSingleElement", "all", ["batch"], floats),
    ret("all", 0, "float32"),
  ]);
  const [batch] = await read.run();
  expect((batch as Tensor).shape).toEqual([2, SIZE]);
  expect(new Set(numbers(batch as Tensor))).toEqual(new Set([3]));
});
