/** Branches, loops, functions, assertions, logs and summaries. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const float = (value: number | number[]): Tensor => Tensor.of(value, "float32");

function placeholder(g: Graph, dtype: "bool" | "float32" | "int32", name: string): Output {
  return g.op("Placeholder", [], { dtype, shape: [] }, name).output;
}

export const flowPrograms: readonly Program[] = [
  {
    name: "switch_and_merge",
    build: (g) => {
      const condition = placeholder(g, "bool", "condition");
      const parted = g.op("Switch", [float([1, 2]), condition]);
      const negated = g.op("Neg", [parted.outputAt(0)]).output;
      const merged = g.op("Merge", [[negated, parted.outputAt(1)]], { N: 2 });
      const both = [merged.outputAt(0), merged.outputAt(1)];
      return [
        { run: both, feeds: { [condition.name]: Tensor.of(true, "bool") } },
        { run: both, feeds: { [condition.name]: Tensor.of(false, "bool") } },
        { run: [negated], feeds: { [condition.name]: Tensor.of(false, "bool") } },
        // A dead tensor has no value.
        { run: [negated], feeds: { [condition.name]: Tensor.of(true, "bool") } },
        { run: both },
      ];
    },
  },
  {
    name: "reference_switch_and_merge",
    build: (g) => {
      const v = g.op("VariableV2", [], { dtype: "float32", shape: [] }, "v").output;
      const init = g.op("Assign", [v, float(3)]);
      const condition = placeholder(g, "bool", "condition");
      const parted = g.op("RefSwitch", [v, condition]);
      const added = g.op("AssignAdd", [parted.outputAt(1), float(1)]).output;
      const merged = g.op("RefMerge", [[g.op("RefIdentity", [parted.outputAt(0)]).output, added]], { N: 2 });
      return [
        { run: [init] },
        {
          run: [merged.outputAt(0), merged.outputAt(1)],
          feeds: { [condition.name]: Tensor.of(true, "bool") },
        },
        {
          run: [merged.outputAt(0), merged.outputAt(1)],
          feeds: { [condition.name]: Tensor.of(false, "bool") },
        },
        { run: [v] },
      ];
    },
  },
  {
    name: "while_loop",
    build: (g) => {
      const limit = placeholder(g, "int32", "limit");
      const [count, sum] = ops.whileLoop(
        g,
        (i) => ops.less(i ?? limit, limit),
        (i, total) => [ops.add(i ?? limit, 1), ops.add(total ?? limit, i ?? limit)],
        [ops.constant(g, 0, { dtype: "int32" }), ops.constant(g, 0, { dtype: "int32" })],
      );
      const run = [count ?? limit, sum ?? limit];
      return [0, 1, 10, 100].map((value) => ({ run, feeds: { [limit.name]: Tensor.of(value, "int32") } }));
    },
  },
  {
    name: "control_dependencies",
    build: (g) => {
      const v = g.op("VariableV2", [], { dtype: "float32", shape: [] }, "v").output;
      const init = g.op("Assign", [v, float(0)]);
      const add = g.op("AssignAdd", [v, float(1)]);
      const after = g.withControlDependencies([add], () => g.op("NoOp"));
      const trigger = g.withControlDependencies([after], () => g.op("ControlTrigger"));
      const read = g.withControlDependencies([trigger], () => g.op("Identity", [v]).output);
      return [{ run: [init] }, { run: [read] }, { run: [after] }, { run: [v] }];
    },
  },
  {
    name: "assert_and_print",
    build: (g) => {
      const ok = placeholder(g, "bool", "ok");
      const assertion = g.op("Assert", [ok, [float([1, 2]), Tensor.of("text")]], { summarize: 2 });
      const printed = g.op("Print", [float([1, 2]), [float([1, 2])]], { message: "printed " }).output;
      return [
        { run: [assertion], feeds: { [ok.name]: Tensor.of(true, "bool") } },
        { run: [assertion], feeds: { [ok.name]: Tensor.of(false, "bool") } },
        { run: [printed] },
        { run: [g.op("PrintV2", [Tensor.of("line")], { output_stream: "stderr" })] },
      ];
    },
  },
  {
    name: "summaries",
    build: (g) => {
      const scalar = g.op("ScalarSummary", [Tensor.of(["a", "b"]), float([1, 2.5])]).output;
      const histogram = g.op("HistogramSummary", [Tensor.of("h"), float([1, 2, 2, -3, 0])]).output;
      const twice = g.op("MergeSummary", [[scalar, scalar]], { N: 2 }).output;
      return [
        { run: [scalar] },
        { run: [histogram] },
        { run: [g.op("MergeSummary", [[scalar, histogram]], { N: 2 }).output] },
        { run: [twice] },
        { run: [g.op("ScalarSummary", [Tensor.of(["a", "b"]), float([1])]).output] },
        { run: [g.op("HistogramSummary", [Tensor.of("h"), float([Number.NaN])]).output] },
      ];
    },
  },
  {
    name: "references_in_frames",
    build: (g) => {
      const v = g.op("VariableV2", [], { dtype: "float32", shape: [] }, "v").output;
      const init = g.op("Assign", [v, float(3)]);
      const entered = g.op("RefEnter", [v], { frame_name: "references" }).output;
      const left = g.op("RefExit", [entered]).output;
      const index = placeholder(g, "int32", "index");
      const other = g.op("VariableV2", [], { dtype: "float32", shape: [] }, "other").output;
      const selected = g.op("RefSelect", [index, [v, other]], { N: 2 }).output;
      return [
        { run: [init, g.op("Assign", [other, float(4)])] },
        { run: [left] },
        ...[0, 1, 2].map((value) => ({
          run: [selected],
          feeds: { [index.name]: Tensor.of(value, "int32") },
        })),
      ];
    },
  },
  {
    name: "tensor_summaries",
    build: (g) => [
      { run: [g.op("TensorSummaryV2", [Tensor.of("tag"), float([1, 2]), Tensor.of("")]).output] },
    ],
  },
];
