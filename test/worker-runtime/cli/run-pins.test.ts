import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { pinnedJobs, pinsOf } from "../../../worker-runtime/cli/run-pins.js";

function jobsOf(...devices: string[]) {
  const node = devices.map((device, index) => ({ name: `n${index}`, op: "NoOp", device }));
  return pinnedJobs(pinsOf(GraphDef.fromPartial({ node })));
}

describe("the local tasks of a pinned graph", () => {
  test("are all up to the highest index of each job, the leading job first", () => {
    expect(
      jobsOf("/job:ps/task:1", "/job:worker/replica:0/task:2/device:CPU:0", "/job:worker/task:0", ""),
    ).toEqual([
      { job: "worker", tasks: 3 },
      { job: "ps", tasks: 2 },
    ]);
    expect(jobsOf("/job:ps/task:0", "/job:b", "/job:a", "/job:chief").map(({ job }) => job)).toEqual([
      "chief",
      "a",
      "b",
      "ps",
    ]);
  });

  test("are one for a job without a task, and none for pins that any server meets", () => {
    expect(jobsOf("/job:worker")).toEqual([{ job: "worker", tasks: 1 }]);
    expect(jobsOf("", "/cpu:0", "/task:0", "/job:localhost/replica:0/task:0/device:CPU:0")).toEqual([]);
  });

  test("may have a job of the local server's name among them", () => {
    expect(jobsOf("/job:localhost/task:0", "/job:ps/task:0")).toEqual([
      { job: "localhost", tasks: 1 },
      { job: "ps", tasks: 1 },
    ]);
    expect(jobsOf("/job:localhost/task:1")).toEqual([{ job: "localhost", tasks: 2 }]);
  });

  test("are named by functions, too", () => {
    const nodeDef = [{ name: "inside", op: "NoOp", device: "/job:ps/task:1" }];
    const graph = GraphDef.fromPartial({ library: { function: [{ nodeDef }] } });
    expect(pinnedJobs(pinsOf(graph))).toEqual([{ job: "ps", tasks: 2 }]);
  });

  test("without a job are those of a job that has as many", () => {
    expect(jobsOf("/job:worker/task:1", "/task:1")).toEqual([{ job: "worker", tasks: 2 }]);
    expect(() => jobsOf("/job:worker/task:1", "/task:2")).toThrow(
      'Node "n1" is pinned to /task:2: it names no job, and no job has such a task.',
    );
    expect(() => jobsOf("/task:1")).toThrow("Add the job: /job:worker/task:1.");
  });

  test.each([
    [
      ["/job:worker/replica:1/task:0"],
      'Node "n0" is pinned to /job:worker/replica:1/task:0: TensorFlow\'s servers',
    ],
    [["/job:worker/task:x"], "Node \"n0\": '/job:worker/task:x' is not a device name"],
    [
      ["/job:worker/task:9", "/job:ps/task:6"],
      "is pinned to 17 tasks (10 of worker, 7 of ps), but without --target at most 16",
    ],
    [["/job:worker/task:9007199254740993"], "at most 16"],
  ])("%j are refused: %s", (devices, message) => {
    expect(() => jobsOf(...devices)).toThrow(message);
  });
});
