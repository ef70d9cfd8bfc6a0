import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { treeBroadcast } from "../../../../../worker-runtime/engines/portable/collectives/broadcast-tree.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { memoryGroup } from "./memory-group.js";

const never = new AbortController().signal;
// As many exchanges as there are wait with it at once.
setMaxListeners(0, never);

const groups: Readonly<Record<string, readonly string[]>> = {
  "one member": ["a"],
  "one task": ["a", "a", "a", "a", "a"],
  "one member a task": ["a", "b", "c", "d", "e", "f", "g"],
  "several members a task": ["a", "a", "a", "b", "b", "c"],
};

test.each(Object.entries(groups))("%s: all get the source's tensor, whoever it is", async (_, tasks) => {
  for (const source of tasks.keys()) {
    const { members, sent } = memoryGroup(tasks, source);
    const tensor = Tensor.of([
      [1, 2],
      [3, source],
    ]);
    const results = await Promise.all(
      members.map((member) =>
        treeBroadcast(
          { member, key: "k", signal: never },
          member.rank === source ? tensor : undefined,
          "float32",
          [2, 2],
        ),
      ),
    );
    expect(results.map((result) => result.toArray())).toEqual(tasks.map(() => tensor.toArray()));
    // Each but the source is sent it once.
    expect(sent).toHaveLength(tasks.length - 1);
  }
});

test("the keys name the tree and the two places in it, as TensorFlow's", async () => {
  const { members, sent } = memoryGroup(["a", "b", "c"], 2);
  await Promise.all(
    members.map((member) =>
      treeBroadcast(
        { member, key: "1:9:0:0", signal: never },
        member.rank === 2 ? Tensor.of([1]) : undefined,
        "float32",
        [1],
      ),
    ),
  );
  expect(sent.map(({ key }) => key).sort()).toEqual(["1:9:0:0:0:2:0", "1:9:0:0:0:2:1"]);
});
