import { expect, test } from "vitest";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";
import { collectiveConfig, collectiveLeader } from "../../../worker-runtime/cluster/collective-leader.js";

test.each([
  [{ worker: ["a:1", "b:1"], chief: ["c:1"] }, "/job:chief/replica:0/task:0"],
  [{ ps: ["a:1"], worker: { 3: "b:1", 7: "c:1" } }, "/job:worker/replica:0/task:3"],
  [{ local: ["a:1", "b:1"] }, "/job:local/replica:0/task:0"],
  [{ two: ["a:1"], one: ["b:1"] }, "/job:one/replica:0/task:0"],
  [{ worker: ["a:1"] }, undefined],
])("%j is led by %s", (tasks, leader) => {
  const cluster = ClusterSpec.from(tasks);
  expect(collectiveLeader(cluster)).toBe(leader);
  expect(collectiveConfig(cluster)?.experimental?.collectiveGroupLeader).toBe(leader);
});
