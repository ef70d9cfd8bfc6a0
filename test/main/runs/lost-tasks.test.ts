import { afterEach, describe, expect, it } from "vitest";
import { taskEnded } from "../../../main/runs/lost-tasks.js";
import {
  deadlineExceeded,
  invalidArgument,
  type TensorFlowError,
  unavailable,
} from "../../../worker-runtime/protocol/status.js";
import { type MemoryCluster, memoryCluster } from "../support/memory-cluster.js";

let made: MemoryCluster;
afterEach(() => made.cluster.dispose());

/** The end of a task on a machine that is silent by now, if an error is its echo. */
async function endBehind(error: TensorFlowError) {
  made = memoryCluster([{ id: "raspberrypi" }]);
  const { cluster, machines, running } = made;
  await cluster.addTasks({ job: "worker", count: 1, machineId: "raspberrypi" });
  await running();
  const watched = cluster.tasks();
  machines.change("raspberrypi", { presence: "offline" });
  return (await taskEnded(cluster, watched, error))?.problem;
}

describe("an error of a run whose task is on a machine that has gone", () => {
  it.each([
    ["a connection that broke", unavailable("Connection reset by peer")],
    // Such as that of a second session that a long run opens.
    ["an answer that did not come", deadlineExceeded("no answer from /job:worker/task:0 within 10 s")],
  ])("is told as its end: %s", async (_, error) => {
    expect(await endBehind(error)).toMatchObject({
      message: "The run failed because worker/0 on raspberrypi stopped answering.",
      reason: "raspberrypi does not answer.",
      remedy:
        "Check whether raspberrypi is on and connected to the network. worker/0 may still be running there. " +
        "Run again once it answers.",
      task: "worker/0",
    });
  });

  it("is told as it is where its cause is another", async () => {
    expect(await endBehind(invalidArgument("Incompatible shapes"))).toBeUndefined();
  });
});
