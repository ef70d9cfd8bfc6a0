import { describe, expect, test } from "vitest";
import { DebugTensorWatch } from "../../../../../protos/generated/tensorflow/debug.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { TensorWatches } from "../../../../../worker-runtime/engines/portable/debug/tensor-watches.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { withDebugNodes } from "../../../../../worker-runtime/engines/portable/worker/debug-nodes.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { bool, constant, int, node, text, type } from "../executor/graph-fixture.js";

const DEFAULT_DEVICE = "/job:worker/replica:0/task:0/device:CPU:0";
const tools = { ops: bundledOpRegistry(), kernels: createKernelRegistry(), defaultDevice: DEFAULT_DEVICE };
const T = { T: type("float32") };

/** The nodes once tensors are watched: every one unless the watch says otherwise. */
function watched(nodes: readonly NodeDef[], watch: Partial<DebugTensorWatch> = {}): Map<string, NodeDef> {
  const all = { nodeName: "*", outputSlot: -1, debugOps: ["DebugIdentity"], debugUrls: ["file:///dump"] };
  const watches = new TensorWatches([DebugTensorWatch.fromPartial({ ...all, ...watch })]);
  return new Map(withDebugNodes(nodes, watches, tools).map((one) => [one.name, one]));
}

const inputs = (nodes: ReadonlyMap<string, NodeDef>) =>
  Object.fromEntries([...nodes].map(([name, { input }]) => [name, input]));

describe("debug nodes", () => {
  test("publish a tensor before it is read, and its readers get a copy", () => {
    const device = "/job:worker/replica:0/task:0/device:GPU:0";
    const split = node("Split", "split", ["axis", "a"], { ...T, num_split: int(2) });
    const nodes = [
      constant("axis", 0, "int32"),
      constant("a", [1, 2], "float32"),
      { ...split, device },
      node("AddV2", "sum", ["split:1", "split:1", "^a"], T),
    ];
    const found = watched(nodes, { nodeName: "split", outputSlot: 1 });
    expect(inputs(found)).toEqual({
      axis: [],
      a: [],
      split: ["axis", "a"],
      sum: ["__copy_split_1", "__copy_split_1", "^a", "^__dbg_split:1_0_DebugIdentity"],
      __copy_split_1: ["split:1"],
      "__dbg_split:1_0_DebugIdentity": ["__copy_split_1"],
    });
    const publisher = found.get("__dbg_split:1_0_DebugIdentity");
    expect(publisher?.device).toBe(device);
    expect(publisher?.attr.get("device_name")?.value).toEqual(text(device));
    expect(publisher?.attr.get("tensor_name")?.value).toEqual(text("split:1"));
  });

  test("read a variable where it is: its readers keep the reference", () => {
    const variable = node("VariableV2", "v", [], { dtype: type("float32") });
    const found = watched([variable, node("Identity", "read", ["v"], T)], { nodeName: "v", outputSlot: 0 });
    expect(inputs(found)).toEqual({
      v: [],
      read: ["v", "^__dbg_v:0_0_DebugIdentity"],
      "__dbg_v:0_0_DebugIdentity": ["v"],
    });
  });

  test("leave the edges that make a loop, and its iterations come one after another", () => {
    const frame = { frame_name: text("loop"), is_constant: bool(false), parallel_iterations: int(10) };
    const found = watched([
      constant("a", 1, "float32"),
      node("Enter", "enter", ["a"], { ...T, ...frame }),
      node("Merge", "merge", ["enter", "next"], { ...T, N: int(2) }),
      node("NextIteration", "next", ["merge"], T),
    ]);
    expect(found.get("merge")?.input).toEqual(["enter", "next"]);
    expect(found.get("next")?.input).toEqual(["__copy_merge_0", "^__dbg_merge:0_0_DebugIdentity"]);
    expect(found.get("enter")?.attr.get("parallel_iterations")?.value).toEqual(int(1));
    expect(found.has("__dbg_next:0_0_DebugIdentity")).toBe(true);
  });

  const strings = [constant("a", 1, "float32"), constant("s", "x", "string")];

  test("that cannot watch a dtype are left out where the watch tolerates it", () => {
    const only = watched(strings, { debugOps: ["DebugNanCount"], tolerateDebugOpCreationFailures: true });
    expect([...only.keys()].filter((name) => name.startsWith("__dbg"))).toEqual([
      "__dbg_a:0_0_DebugNanCount",
    ]);
  });

  test.each([
    ["DebugNanCount", "for tensor s:0, due to: Failed to find kernel definition"],
    ["Identity", "Failed to create node definition for debug op Identity"],
    ["DebugNothing", "Failed to create node definition for debug op DebugNothing"],
    ["DebugIdentity(colour=red)", "not valid for debug node __dbg_a:0_0_DebugIdentity: colour"],
    ["DebugIdentity(gated_grpc=maybe)", "Invalid value string for bool-type attribute gated_grpc"],
    ["DebugNumericSummary(lower_bound=low)", "Invalid value string for float-type attribute lower_bound"],
    ["DebugIdentity(debug_urls=a)", "Unsupported type of custom attribute"],
    ["DebugIdentity(", 'Malformed debug op name "DebugIdentity("'],
  ])("are refused: %s", (debugOp, message) => {
    expect(() => watched(strings, { debugOps: [debugOp] })).toThrow(
      expect.objectContaining({
        codeName: "FAILED_PRECONDITION",
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});
