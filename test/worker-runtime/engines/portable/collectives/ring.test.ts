import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { ringGather, ringReduce } from "../../../../../worker-runtime/engines/portable/collectives/ring.js";
import { reductionOf } from "../../../../../worker-runtime/engines/portable/kernels/collective/merge-ops.js";
import { cancelled, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { memoryGroup } from "./memory-group.js";

const never = new AbortController().signal;
// As many exchanges as there are wait with it at once.
setMaxListeners(0, never);
const tasks = (size: number): string[] => Array.from({ length: size }, (_, index) => `task${index}`);

test.each([1, 2, 3, 5])("%i members get the sum of all, each the same bits", async (size) => {
  const { members } = memoryGroup(tasks(size));
  const sum = reductionOf("Add", "Id", "float32")(size);
  const count = 100;
  const results = await Promise.all(
    members.map((member) => {
      const values = Float32Array.from({ length: count }, (_, index) => index * (member.rank + 1));
      const tensor = new Tensor("float32", [10, 10], values);
      return ringReduce({ member, key: "1:2:0:0", signal: never }, tensor, sum);
    }),
  );
  const factor = (size * (size + 1)) / 2;
  for (const result of results) {
    expect(result.shape).toEqual([10, 10]);
    expect(result.data).toEqual(Float32Array.from({ length: count }, (_, index) => index * factor));
  }
});

test("chunks begin at multiples of 64 bytes and have TensorFlow's keys", async () => {
  const { members, sent } = memoryGroup(tasks(2));
  const tensor = Tensor.of(Array.from({ length: 20 }, () => 1));
  const sum = reductionOf("Add", "Div", "float32")(2);
  await Promise.all(
    members.map((member) => ringReduce({ member, key: "1:2:0:0", signal: never }, tensor, sum)),
  );
  expect(sent.map(({ from, key, tensor: { size } }) => [from, key, size]).sort()).toEqual([
    [0, "1:2:0:0:0:0:0", 16],
    [0, "1:2:0:0:1:1:0", 4],
    [1, "1:2:0:0:0:1:1", 4],
    [1, "1:2:0:0:1:0:1", 16],
  ]);
});

test("chunks of a multiple of 64 bytes are larger by 64, as in TensorFlow", async () => {
  const { members, sent } = memoryGroup(tasks(2));
  const tensor = Tensor.of(Array.from({ length: 32 }, () => 1));
  const sum = reductionOf("Add", "Id", "float32")(2);
  await Promise.all(members.map((member) => ringReduce({ member, key: "1", signal: never }, tensor, sum)));
  expect(sent.map(({ from, tensor: { size } }) => [from, size])).toEqual([
    [0, 32],
    [1, 32],
  ]);
});

test("nothing is sent of an empty tensor", async () => {
  const { members, sent } = memoryGroup(tasks(2));
  const empty = new Tensor("float32", [0, 3], new Float32Array(0));
  const sum = reductionOf("Add", "Id", "float32")(2);
  const reduced = members.map((member) => ringReduce({ member, key: "a", signal: never }, empty, sum));
  const gathered = members.map((member) => ringGather({ member, key: "b", signal: never }, empty));
  for (const result of await Promise.all([...reduced, ...gathered])) {
    expect(result.shape).toEqual([0, 3]);
  }
  expect(sent).toEqual([]);
});

test.each([1, 2, 4])("the tensors of %i members come in the order of their ranks", async (size) => {
  const { members } = memoryGroup(tasks(size));
  const results = await Promise.all(
    members.map((member) => {
      const tensor = Tensor.of([[member.rank, member.rank]], "int64");
      return ringGather({ member, key: "b", signal: never }, tensor);
    }),
  );
  for (const result of results) {
    expect(result.toArray()).toEqual(Array.from({ length: size }, (_, rank) => [BigInt(rank), BigInt(rank)]));
  }
});

test("a member that waits for one that never comes ends with its signal", async () => {
  const { members } = memoryGroup(tasks(2));
  const [member] = members;
  const controller = new AbortController();
  const waits =
    member === undefined
      ? Promise.resolve()
      : ringGather({ member, key: "b", signal: controller.signal }, Tensor.of([1]));
  controller.abort(cancelled("enough"));
  await expect(waits).rejects.toMatchObject({ code: StatusCode.CANCELLED, message: "enough" });
});
