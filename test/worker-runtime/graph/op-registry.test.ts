import { describe, expect, test } from "vitest";
import { OpDef, OpList } from "../../../protos/generated/tensorflow/op_def.js";
import { bundledOpRegistry, OpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { similarNames } from "../../../worker-runtime/graph/similar-names.js";

describe("the bundled ops", () => {
  test("are TensorFlow's, by name", () => {
    const registry = bundledOpRegistry();
    expect(registry.names().length).toBeGreaterThan(1500);
    expect(registry.get("AddV2")?.inputArg.map((arg) => arg.name)).toEqual(["x", "y"]);
    expect(registry.get("AddV2")).toBe(registry.get("AddV2"));
    expect(registry.get("NoSuchOp")).toBeUndefined();
  });

  test("an unknown op is named with those that are like it", () => {
    const registry = bundledOpRegistry();
    expect(() => registry.require("Matmul")).toThrow("Op type not registered 'Matmul'");
    expect(() => registry.require("Matmul")).toThrow("Did you mean MatMul");
    expect(() => registry.require("Qqqqqqqqqq")).not.toThrow("Did you mean");
  });
});

test("a registry of an engine's list, with a graph's functions", () => {
  const list = OpList.fromPartial({ op: [{ name: "Mine" }] });
  const registry = OpRegistry.fromOpList(list);
  expect(registry.has("Mine")).toBe(true);
  const signature = OpDef.fromPartial({ name: "f" });
  const withFunctions = registry.withFunctions({
    function: [
      {
        signature,
        nodeDef: [],
        attr: new Map(),
        argAttr: new Map(),
        resourceArgUniqueId: new Map(),
        ret: new Map(),
        controlRet: new Map(),
      },
    ],
    gradient: [],
    registeredGradients: [],
  });
  expect(withFunctions.get("f")).toBe(signature);
  expect(withFunctions.has("Mine")).toBe(true);
  expect(registry.has("f")).toBe(false);
});

test("similar names: swapped and missing letters, other case, beginnings", () => {
  const names = ["MatMul", "BatchMatMul", "Add", "AddV2", "Pad", "Softmax"];
  expect(similarNames("matmul", names)).toEqual(["MatMul"]);
  expect(similarNames("Sotfmax", names)).toEqual(["Softmax"]);
  expect(similarNames("Add", names)).toEqual(["Add", "AddV2"]);
  expect(similarNames("Zebra", names)).toEqual([]);
});
