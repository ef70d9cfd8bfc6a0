import { expect, test } from "vitest";
import { ringGather, ringReduce } from "../../../../worker-runtime/engines/portable/collectives/ring.js";
import { reductionOf } from "../../../../worker-runtime/engines/portable/kernels/collective/merge-ops.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import { constant } from "../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { collectiveTransfers } from "../../../../worker-runtime/session/trace/collective-transfers.js";
import type { NodeTiming } from "../../../../worker-runtime/session/trace/timings.js";
import { memoryGroup } from "../../engines/portable/collectives/memory-group.js";

const device = (task: number) => `/job:worker/replica:0/task:${task}/device:CPU:0`;

function timing(node: string, task: number, outputBytes: number): NodeTiming {
  return {
    ...{
      node,
      recordedName: node,
      op: "",
      inputs: [],
      device: device(task),
      startMicros: 5,
      durationMicros: 7,
    },
    ...{ outputBytes, peakBytes: undefined, together: undefined, outputs: [], threadId: 0 },
  };
}

function graphOf(op: string, members: number, key: number | undefined) {
  const graph = new Graph();
  for (let member = 0; member < members; member += 1) {
    const int = (value: number) => constant(graph, value, { dtype: "int32" });
    const [size, group, instance] = [int(members), int(1), int(1)];
    const chosen = key === undefined ? graph.op("Neg", [instance], {}).output : instance;
    const attrs = op === "CollectiveReduceV2" ? { merge_op: "Add", final_op: "Id" } : {};
    graph.op(op, [constant(graph, [1]), size, group, chosen, []], attrs, `sum_${member}`);
  }
  return graph.toGraphDef();
}

/** The chunks that the members of a ring of the portable engine, which takes TensorFlow's chunks, receive. */
async function received(op: string, members: number, elements: number): Promise<readonly number[]> {
  const { members: group, sent } = memoryGroup(Array.from({ length: members }, (_, at) => `task${at}`));
  const { signal } = new AbortController();
  const tensor = Tensor.of(Array.from({ length: elements }, () => 1));
  const sum = reductionOf("Add", "Id", "float32")(members);
  await Promise.all(
    group.map((member) => {
      const execution = { member, key: "1", signal };
      return op === "CollectiveReduceV2" ? ringReduce(execution, tensor, sum) : ringGather(execution, tensor);
    }),
  );
  return group.map((_, rank) =>
    sent
      .filter(({ from }) => (from + 1) % members === rank)
      .reduce((bytes, one) => bytes + one.tensor.byteLength, 0),
  );
}

test.each([
  ["CollectiveReduceV2", 3, 48],
  ["CollectiveReduceV2", 3, 6],
  ["CollectiveReduceV2", 4, 50],
  ["CollectiveReduceV2", 2, 1000],
  ["CollectiveGatherV2", 3, 5],
] as const)(
  "%s of %i members with %i elements: each is said to receive what it does",
  async (op, members, elements) => {
    const bytes = elements * 4 * (op === "CollectiveGatherV2" ? members : 1);
    const runs = Array.from({ length: members }, (_, member) => timing(`sum_${member}`, member, bytes));
    const transfers = collectiveTransfers(runs, graphOf(op, members, 1));
    expect(transfers.map((transfer) => transfer.bytes)).toEqual(await received(op, members, elements));
    expect(transfers[1]).toMatchObject({
      ...{ tensor: "sum_1", fromDevice: device(0), toDevice: device(1) },
      ...{ startMicros: 5, durationMicros: 7, timed: false },
    });
  },
);

test("nothing is said of members on one task, or of keys that only the step knows", () => {
  const runs = [timing("sum_0", 0, 8), timing("sum_1", 0, 8)];
  expect(collectiveTransfers(runs, graphOf("CollectiveReduceV2", 2, 1))).toEqual([]);
  const apart = [timing("sum_0", 0, 8), timing("sum_1", 1, 8)];
  expect(collectiveTransfers(apart, graphOf("CollectiveReduceV2", 2, undefined))).toEqual([]);
});
