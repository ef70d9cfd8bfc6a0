/** Queues, barriers, accumulators and stacks. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";

const float = (value: number | number[] | number[][]): Tensor => Tensor.of(value, "float32");
const one = { Tcomponents: ["float32"] } as const;

/** Fills, empties and closes a queue of scalars that holds three; `v` is "V2", or "" for the ops of old. */
function inAndOut(g: Graph, queue: Output, v: "" | "V2"): Step[] {
  const components = { component_types: ["float32"] };
  const enqueue = (value: number) => g.op(`QueueEnqueue${v}`, [queue, [float(value)]], one);
  const dequeue = g.op(`QueueDequeue${v}`, [queue], components).outputAt(0);
  const many = g.op(`QueueDequeueMany${v}`, [queue, Tensor.of(2, "int32")], components).outputAt(0);
  const upTo = g.op(`QueueDequeueUpTo${v}`, [queue, Tensor.of(5, "int32")], components).outputAt(0);
  const size = g.op(`QueueSize${v}`, [queue]).output;
  return [
    { run: [size] },
    { run: [enqueue(3)] },
    { run: [enqueue(1)] },
    { run: [enqueue(2)] },
    { run: [size] },
    { run: [dequeue] },
    { run: [many] },
    { run: [g.op(`QueueEnqueueMany${v}`, [queue, [float([7, 8, 9])]], one)] },
    { run: [g.op(`QueueIsClosed${v}`, [queue]).output] },
    { run: [g.op(`QueueClose${v}`, [queue])] },
    { run: [g.op(`QueueIsClosed${v}`, [queue]).output] },
    { run: [enqueue(1)] },
    { run: [many] },
    { run: [upTo] },
    { run: [dequeue] },
    { run: [many] },
    { run: [upTo] },
  ];
}

export const queuePrograms: readonly Program[] = [
  ...(["", "V2"] as const).flatMap((v): Program[] => [
    {
      name: `fifo_queue${v}`,
      build: (g) =>
        inAndOut(
          g,
          g.op(`FIFOQueue${v}`, [], { component_types: ["float32"], shapes: [[]], capacity: 3 }).output,
          v,
        ),
    },
    {
      name: `padding_queue${v}`,
      build: (g) => {
        const queue = g.op(`PaddingFIFOQueue${v}`, [], {
          component_types: ["float32"],
          shapes: [[-1]],
          capacity: 9,
        }).output;
        const put = (values: number[]) => g.op(`QueueEnqueue${v}`, [queue, [float(values)]], one);
        const many = g
          .op(`QueueDequeueMany${v}`, [queue, Tensor.of(3, "int32")], { component_types: ["float32"] })
          .outputAt(0);
        return [{ run: [put([1])] }, { run: [put([1, 2, 3])] }, { run: [put([])] }, { run: [many] }];
      },
    },
    {
      name: `shuffle_queue${v}`,
      // It holds one element at a time, so that chance has nothing to choose.
      build: (g) => {
        const queue = g.op(`RandomShuffleQueue${v}`, [], {
          component_types: ["float32"],
          shapes: [[]],
          capacity: 3,
          seed: 3,
          seed2: 4,
        }).output;
        const dequeue = g.op(`QueueDequeue${v}`, [queue], { component_types: ["float32"] }).outputAt(0);
        const steps = [1, 2].flatMap((value): Step[] => [
          { run: [g.op(`QueueEnqueue${v}`, [queue, [float(value)]], one)] },
          { run: [dequeue] },
        ]);
        return [...steps, { run: [g.op(`QueueClose${v}`, [queue])] }, { run: [dequeue] }];
      },
    },
    {
      name: `priority_queue${v}`,
      build: (g) => {
        const queue = g.op(`PriorityQueue${v}`, [], {
          component_types: ["string"],
          shapes: [[]],
          capacity: 5,
        }).output;
        const types = ["int64", "string"];
        const put = (priority: bigint, text: string) =>
          g.op(`QueueEnqueue${v}`, [queue, [Tensor.of(priority, "int64"), Tensor.of(text)]], {
            Tcomponents: types,
          });
        const get = g.op(`QueueDequeue${v}`, [queue], { component_types: types });
        return [
          { run: [put(5n, "late")] },
          { run: [put(-1n, "first")] },
          { run: [put(2n, "middle")] },
          ...[1, 2, 3].map(() => ({ run: [get.outputAt(0), get.outputAt(1)] })),
        ];
      },
    },
  ]),
  {
    name: "queue_mistakes",
    build: (g) => {
      const queue = g.op("FIFOQueueV2", [], {
        component_types: ["float32"],
        shapes: [[2]],
        capacity: 2,
      }).output;
      const unshaped = g.op(
        "FIFOQueueV2",
        [],
        { component_types: ["float32"], capacity: 2 },
        "unshaped",
      ).output;
      const components = { component_types: ["float32"] };
      return [
        { run: [g.op("QueueEnqueueV2", [queue, [float([1, 2, 3])]], one)] },
        { run: [g.op("QueueEnqueueV2", [queue, [Tensor.of([1, 2], "int32")]], { Tcomponents: ["int32"] })] },
        { run: [g.op("QueueEnqueueManyV2", [queue, [float([1, 2])]], one)] },
        { run: [g.op("QueueDequeueV2", [queue], { component_types: ["int32"] }).outputAt(0)] },
        { run: [g.op("QueueDequeueManyV2", [unshaped, Tensor.of(2, "int32")], components).outputAt(0)] },
        { run: [g.op("QueueDequeueManyV2", [queue, Tensor.of(-1, "int32")], components).outputAt(0)] },
        { run: [g.op("QueueDequeueManyV2", [queue, Tensor.of(0, "int32")], components).outputAt(0)] },
        {
          run: [
            g
              .op("QueueDequeueManyV2", [queue, Tensor.of(9, "int32")], { ...components, timeout_ms: 100 })
              .outputAt(0),
          ],
        },
      ];
    },
  },
  ...(["", "Resource"] as const).map(
    (kind): Program => ({
      name: `${kind}accumulator`,
      tolerance: { ulps: 2 },
      build: (g) => {
        const acc = g.op(`${kind}ConditionalAccumulator`, [], { dtype: "float32", shape: [2] }).output;
        const prefix = `${kind}Accumulator`;
        const apply = (step: bigint, value: number[]) =>
          g.op(`${prefix}ApplyGradient`, [acc, Tensor.of(step, "int64"), float(value)], { dtype: "float32" });
        const take = g.op(`${prefix}TakeGradient`, [acc, Tensor.of(2, "int32")], { dtype: "float32" }).output;
        const count = g.op(`${prefix}NumAccumulated`, [acc]).output;
        return [
          { run: [count] },
          { run: [apply(0n, [1, 2])] },
          { run: [apply(0n, [3, 5])] },
          { run: [count] },
          { run: [take] },
          { run: [count] },
          // It is of a step that is over: dropped.
          { run: [apply(0n, [9, 9])] },
          { run: [count] },
          { run: [g.op(`${prefix}SetGlobalStep`, [acc, Tensor.of(7n, "int64")])] },
          { run: [apply(7n, [1, 1])] },
          { run: [apply(7n, [1, 2, 3])] },
          { run: [count] },
        ];
      },
    }),
  ),
  {
    name: "sparse_accumulator",
    tolerance: { ulps: 2 },
    build: (g) => {
      const acc = g.op("SparseConditionalAccumulator", [], { dtype: "float32", shape: [3, 2] }).output;
      const apply = (indices: bigint[], values: number[][]) =>
        g.op(
          "SparseAccumulatorApplyGradient",
          [
            acc,
            Tensor.of(0n, "int64"),
            Tensor.of(indices, "int64"),
            float(values),
            Tensor.of([3n, 2n], "int64"),
          ],
          {
            dtype: "float32",
            has_known_shape: true,
          },
        );
      const take = g.op("SparseAccumulatorTakeGradient", [acc, Tensor.of(2, "int32")], { dtype: "float32" });
      return [
        {
          run: [
            apply(
              [0n, 2n],
              [
                [1, 2],
                [3, 4],
              ],
            ),
          ],
        },
        { run: [apply([0n], [[1, 1]])] },
        { run: [g.op("AccumulatorNumAccumulated", [acc]).output] },
        { run: [take.outputAt(0), take.outputAt(1), take.outputAt(2)] },
      ];
    },
  },
  {
    name: "barrier",
    build: (g) => {
      const barrier = g.op("Barrier", [], {
        component_types: ["float32", "string"],
        shapes: [[], []],
        capacity: -1,
      }).output;
      const insert = (index: number, keys: string[], values: Tensor) =>
        g.op("BarrierInsertMany", [barrier, Tensor.of(keys), values], {
          component_index: index,
          T: values.dtype,
        });
      const take = g.op("BarrierTakeMany", [barrier, Tensor.of(2, "int32")], {
        component_types: ["float32", "string"],
        allow_small_batch: false,
      });
      const sizes = [
        g.op("BarrierReadySize", [barrier]).output,
        g.op("BarrierIncompleteSize", [barrier]).output,
      ];
      return [
        { run: sizes },
        { run: [insert(0, ["a", "b"], float([1, 2]))] },
        { run: sizes },
        { run: [insert(1, ["b", "a"], Tensor.of(["B", "A"]))] },
        { run: sizes },
        { run: [0, 1, 2, 3].map((i) => take.outputAt(i)) },
        { run: [insert(0, ["c"], float([1]))] },
        { run: [insert(0, ["c"], float([1]))] },
        { run: [g.op("BarrierClose", [barrier], { cancel_pending_enqueues: false })] },
        { run: [insert(0, ["d"], float([1]))] },
      ];
    },
  },
  ...(["", "V2"] as const).map(
    (v): Program => ({
      name: `stack${v}`,
      build: (g) => {
        const max = v === "V2" ? [Tensor.of(2, "int32")] : [];
        const stack = g.op(`Stack${v}`, max, { elem_type: "float32" }).output;
        // One step, since a stack lives no longer than its step: push after push, then pop after pop.
        const first = g.op(`StackPush${v}`, [stack, float([1, 2])]);
        const second = g.withControlDependencies([first], () => g.op(`StackPush${v}`, [stack, float([3])]));
        const top = g.withControlDependencies([second], () =>
          g.op(`StackPop${v}`, [stack], { elem_type: "float32" }),
        );
        const bottom = g.withControlDependencies([top], () =>
          g.op(`StackPop${v}`, [stack], { elem_type: "float32" }),
        );
        const none = g.withControlDependencies([bottom], () =>
          g.op(`StackPop${v}`, [stack], { elem_type: "float32" }),
        );
        const close = g.withControlDependencies([bottom], () => g.op(`StackClose${v}`, [stack]));
        return [{ run: [top.output, bottom.output, close] }, { run: [none.output] }];
      },
    }),
  ),
];
