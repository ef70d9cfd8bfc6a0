/** Values of variables that have stayed on a device, for code that reads elements. */
import { expect, it } from "vitest";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, constant, func, node, ret, typeList } from "../executor/graph-fixture.js";
import { numbers, startTask } from "./regions-fixture.js";
import { change, filled, handle, initialize, SIZE, T, variable } from "./variables-fixture.js";

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
  await initialize(task, "v", filled(1));
  const add = task.register([
    handle("v"),
    arg("x", 0, "float32"),
    change("AssignAddVariableOp", "add", "v", "x"),
  ]);
  for (let step = 0; step < 2; step += 1) {
    await add.run({ args: [filled(1)] });
  }
  expect(variable(task, "v").value).toBeInstanceOf(DeviceTensor);

  const longs = typeList("int64");
  const floats = { output_types: typeList("float32"), output_shapes: shapes };
  const read = task.register([
    handle("v"),
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
