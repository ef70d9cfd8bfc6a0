import { expect, test } from "vitest";
import { ConfigProto, OptimizerOptions_Level } from "../../../../../protos/generated/tensorflow/config.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { RewriterConfig_Toggle } from "../../../../../protos/generated/tensorflow/rewriter_config.js";
import { sourceKernels } from "../../../../../worker-runtime/engines/portable/kernels/control-flow/sources.js";
import type { PureKernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import {
  foldConstants,
  mayFold,
} from "../../../../../worker-runtime/engines/portable/master/constant-folding.js";
import type { StepSignature } from "../../../../../worker-runtime/engines/portable/master/step-signature.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { invalidArgument } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { add, constant, identity, node, placeholder } from "./node-makers.js";
import { sessionGraph, stepGraph } from "./session-parts.js";

const sum: PureKernelDefinition = {
  kind: "pure",
  types: {},
  op: "AddV2",
  create:
    () =>
    ([a, b]) => [Tensor.of(Number(a?.item()) + Number(b?.item()), "float32")],
};
const fill: PureKernelDefinition = {
  kind: "pure",
  types: {},
  op: "Identity",
  create: () => () => [new Tensor("float32", [30_000], new Float32Array(30_000))],
};
const fail: PureKernelDefinition = {
  kind: "pure",
  types: {},
  op: "Identity",
  create: () => () => {
    throw invalidArgument("not today");
  },
};
const slow: PureKernelDefinition = { ...sum, cost: () => 1e9 };

function fold(
  nodes: readonly NodeDef[],
  parts: Partial<StepSignature>,
  ...kernels: readonly PureKernelDefinition[]
) {
  const graph = stepGraph(sessionGraph(nodes), parts);
  const tools = { kernels: new KernelRegistry().add(...sourceKernels, ...kernels), ops: bundledOpRegistry() };
  return withoutPauses(foldConstants(graph, tools)).nodes;
}

const twoSums = [constant("a", 1), constant("b", 2), add("c", "a", "b"), add("d", "c", "b", "/task:1")];

test("a node of constants becomes a constant of its name, and what it was made of goes", () => {
  const nodes = fold(twoSums, { fetches: ["d:0"] }, sum);
  expect([...nodes.keys()]).toEqual(["d", "_send_d_0"]);
  expect(nodes.get("d")?.op).toBe("Const");
  expect(nodes.get("d")?.kernelNode.tensor("value").toArray()).toBe(5);
});

test("what is fetched on the way stays", () => {
  const nodes = fold(twoSums, { fetches: ["c:0", "d:0"], targets: ["a"] }, sum);
  expect([...nodes.keys()].sort()).toEqual(["_send_c_0", "_send_d_0", "a", "c", "d"]);
});

test("fed tensors, waiting nodes, unknown ops and slow kernels are not folded", () => {
  expect(fold(twoSums, { feeds: ["a:0"], fetches: ["d:0"] }, sum).get("c")?.op).toBe("AddV2");
  expect(fold(twoSums, { fetches: ["d:0"] }).get("c")?.op).toBe("AddV2");
  expect(fold(twoSums, { fetches: ["d:0"] }, slow).get("c")?.op).toBe("AddV2");
  const waiting = [
    placeholder("p"),
    constant("a", 1),
    node("b", "AddV2", ["a", "a", "^p"], { T: typeAttr("float32") }),
    { ...constant("k", 1), input: ["^p"] },
    add("c", "k", "a"),
  ];
  const nodes = fold(waiting, { fetches: ["b:0", "c:0"] }, sum);
  expect(nodes.get("b")?.op).toBe("AddV2");
  expect(nodes.get("c")?.op).toBe("AddV2");
});

test("a result that grew large, or cannot be computed, leaves the node as it is", () => {
  const nodes = [constant("a", 1), identity("b", "a")];
  expect(fold(nodes, { fetches: ["b:0"] }, fill).get("b")?.op).toBe("Identity");
  expect(fold(nodes, { fetches: ["b:0"] }, fail).get("b")?.op).toBe("Identity");
});

test("a session may switch folding off", () => {
  const config = (graphOptions: NonNullable<Parameters<typeof ConfigProto.fromPartial>[0]>["graphOptions"]) =>
    ConfigProto.fromPartial({ graphOptions });
  expect(mayFold(ConfigProto.create())).toBe(true);
  expect(mayFold(config({ optimizerOptions: { optLevel: OptimizerOptions_Level.L0 } }))).toBe(false);
  expect(mayFold(config({ rewriteOptions: { disableMetaOptimizer: true } }))).toBe(false);
  expect(mayFold(config({ rewriteOptions: { constantFolding: RewriterConfig_Toggle.OFF } }))).toBe(false);
});
