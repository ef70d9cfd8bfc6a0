import { expect, test } from "vitest";
import type { CancellationSignal } from "../../../../../../worker-runtime/cancellation/cancellation-signal.js";
import {
  type CollectiveParams,
  CollectiveType,
  type StepCollectives,
} from "../../../../../../worker-runtime/engines/portable/collectives/collective.js";
import { collectiveKernels } from "../../../../../../worker-runtime/engines/portable/kernels/collective/index.js";
import { cancelled, StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { memoryGroup } from "../../collectives/memory-group.js";
import { makeKernel, testStep } from "../kernel-runner.js";
import type { OpCase } from "../op-case.js";

const int = (value: number): Tensor => Tensor.of(value, "int32");
const keys = [int(2), int(1), int(7)];
const attrKeys = { group_size: 2, group_key: 1, instance_key: 7 };
const reduceAttrs = { merge_op: "Add", final_op: "Id" };

/** Runs a node on each of two members. */
async function onBoth(
  examples: readonly Pick<OpCase, "op" | "inputs" | "attrs">[],
  sourceRank = -1,
): Promise<{ readonly results: unknown[]; readonly joined: readonly CollectiveParams[] }> {
  const { members } = memoryGroup(["a", "b"], sourceRank);
  const joined: CollectiveParams[] = [];
  const results = await Promise.all(
    members.map(async (member, rank) => {
      const example = examples[rank] ?? { op: "", inputs: [] };
      const collectives: StepCollectives = {
        join: async (params) => {
          joined.push(params);
          return member;
        },
      };
      const [result] = await makeKernel(
        collectiveKernels,
        example,
        testStep({ collectives }),
      )(...example.inputs);
      return result?.toArray();
    }),
  );
  return { results, joined };
}

test.each([
  ["Add", "Id", "float32", [4, 6]],
  ["Add", "Div", "float32", [2, 3]],
  ["Mul", "Id", "float64", [3, 8]],
  ["Min", "Id", "int32", [1, 2]],
  ["Max", "Id", "int64", [3n, 4n]],
  ["Add", "Div", "int64", [2n, 3n]],
  ["Add", "Id", "bfloat16", [4, 6]],
] as const)("CollectiveReduce: %s, %s of %s", async (merge, final, dtype, expected) => {
  const attrs = { merge_op: merge, final_op: final };
  const inputs = [Tensor.of([1, 2], dtype), Tensor.of([3, 4], dtype)];
  const first = inputs.map((input) => ({
    op: "CollectiveReduce",
    inputs: [input],
    attrs: { ...attrs, ...attrKeys, subdiv_offsets: [0] },
  }));
  const { results, joined } = await onBoth(first);
  expect(results).toEqual([expected, expected]);
  expect(joined[0]).toMatchObject({
    groupSize: 2,
    groupKey: 1,
    instanceKey: 7,
    type: CollectiveType.REDUCTION,
    dtype,
    shape: [2],
  });
  const second = inputs.map((input) => ({ op: "CollectiveReduceV2", inputs: [input, ...keys], attrs }));
  expect((await onBoth(second)).results).toEqual([expected, expected]);
});

test("CollectiveGather puts the tensors one after another", async () => {
  const inputs = [Tensor.of([[1, 2]]), Tensor.of([[3, 4]])];
  const all = [
    [1, 2],
    [3, 4],
  ];
  const first = inputs.map((input) => ({
    op: "CollectiveGather",
    inputs: [input],
    attrs: { ...attrKeys, shape: [2, 2] },
  }));
  const { results, joined } = await onBoth(first);
  expect(results).toEqual([all, all]);
  expect(joined[0]).toMatchObject({ type: CollectiveType.GATHER, shape: [2, 2] });
  const second = inputs.map((input) => ({ op: "CollectiveGatherV2", inputs: [input, ...keys] }));
  expect((await onBoth(second)).results).toEqual([all, all]);
});

test("CollectiveBcastSend and CollectiveBcastRecv hand on the source's tensor", async () => {
  const tensor = Tensor.of([true, false], "bool");
  const attrs = { ...attrKeys, shape: [2] };
  const { results, joined } = await onBoth(
    [
      { op: "CollectiveBcastRecv", inputs: [], attrs: { ...attrs, T: "bool" } },
      { op: "CollectiveBcastSend", inputs: [tensor], attrs },
    ],
    1,
  );
  expect(results).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(joined.map(({ isSource }) => isSource)).toEqual([false, true]);
  const second = await onBoth(
    [
      { op: "CollectiveBcastSendV2", inputs: [tensor, ...keys] },
      { op: "CollectiveBcastRecvV2", inputs: [...keys, Tensor.of([2], "int32")], attrs: { T: "bool" } },
    ],
    0,
  );
  expect(second.results).toEqual(results);
});

test.each([
  ["a size that is none", [int(0), int(1), int(1)], "group_size must be positive integer but got 0"],
  [
    "a size that is no scalar",
    [Tensor.of([2], "int32"), int(1), int(1)],
    "Unexpected dimensions on input group_size",
  ],
  [
    "a key that is no scalar",
    [int(2), Tensor.of([2], "int32"), int(1)],
    "Unexpected dimensions on input group_key",
  ],
])("%s is refused", async (_, inputs, message) => {
  const example = { op: "CollectiveReduceV2", inputs: [Tensor.of([1]), ...inputs], attrs: reduceAttrs };
  await expect(async () => makeKernel(collectiveKernels, example)(...example.inputs)).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: expect.stringContaining(message),
  });
});

test("a tensor without rows cannot be gathered, and a send must have the shape that it declares", async () => {
  const gather = { op: "CollectiveGatherV2", inputs: [Tensor.of(1), ...keys] };
  await expect(async () => makeKernel(collectiveKernels, gather)(...gather.inputs)).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: expect.stringContaining("input should have rank > 0"),
  });
  const send = { op: "CollectiveBcastSend", inputs: [Tensor.of([1])], attrs: { ...attrKeys, shape: [2] } };
  await expect(async () => makeKernel(collectiveKernels, send)(...send.inputs)).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: expect.stringContaining("does not match shape of input"),
  });
});

const alone = { op: "CollectiveReduceV2", inputs: [Tensor.of([1]), ...keys] };

test("without collectives a step says what it lacks", async () => {
  const example = { ...alone, attrs: reduceAttrs };
  await expect(makeKernel(collectiveKernels, example)(...example.inputs)).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: "Failed to get CollectiveExecutor from OpKernelContext for Op node",
  });
});

/** Ends only with its signal. */
const waiting = (signal: CancellationSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a wait for the others, and one for their tensors, end after timeout_seconds", async () => {
  const example = { ...alone, attrs: { ...reduceAttrs, timeout_seconds: 0.01 } };
  const nobody = testStep({ collectives: { join: (_, signal) => waiting(signal) } });
  await expect(makeKernel(collectiveKernels, example, nobody)(...example.inputs)).rejects.toMatchObject({
    code: StatusCode.DEADLINE_EXCEEDED,
    message: "Collective has timed out waiting for other workers.",
  });
  const [member] = memoryGroup(["a", "b"]).members;
  const silent = testStep({
    collectives: { join: async () => member ?? waiting(new AbortController().signal) },
  });
  await expect(makeKernel(collectiveKernels, example, silent)(...example.inputs)).rejects.toMatchObject({
    code: StatusCode.DEADLINE_EXCEEDED,
    message: "Collective has timed out during execution.",
  });
});

test("a wait ends with its step", async () => {
  const controller = new AbortController();
  const step = testStep({
    signal: controller.signal,
    collectives: { join: (_, signal) => waiting(signal) },
  });
  const example = { ...alone, attrs: reduceAttrs };
  const result = makeKernel(collectiveKernels, example, step)(...example.inputs);
  controller.abort(cancelled("enough"));
  await expect(result).rejects.toMatchObject({ code: StatusCode.CANCELLED, message: "enough" });
});
