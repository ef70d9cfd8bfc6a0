import { beforeEach, describe, expect, it } from "vitest";
import type { Membership, TaskState } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { addTasksIfAllowed, changeMembership } from "../../../renderer/actions/cluster-actions.js";
import { startMissing } from "../../../renderer/actions/graph-tasks.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

const calls: string[] = [];

setClient({
  call: async (method: string) => {
    calls.push(method);
    return [];
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

function cluster(membership: Membership, ...states: TaskState[]): void {
  const tasks = states.map((state, index) => taskOf(`worker/${index}`, { state }));
  receiveCluster(clusterOf([machineOf("m", { tasks })], { membership }));
}

/** The question that is open; answers it. */
function answer(choice: string | undefined): string {
  const { dialog } = useUi.getState();
  if (dialog?.kind !== "confirm") throw new Error("Nothing was asked.");
  useUi.setState({ dialog: undefined });
  dialog.resolve(choice);
  return dialog.text;
}

beforeEach(() => {
  calls.length = 0;
  uiActions.close();
});

describe("changeMembership", () => {
  it("asks before it restarts tasks, and says which and what is lost", async () => {
    cluster("dynamic", "running", "running", "stopped");
    const done = changeMembership("fixed");
    expect(answer("restart")).toMatch(/worker\/0 and worker\/1 are restarted\. Variables .* lost/);
    await done;
    expect(calls).toEqual(["cluster.setMembership"]);
  });

  it("changes nothing when the question is closed", async () => {
    cluster("fixed", "running");
    const done = changeMembership("dynamic");
    answer(undefined);
    await done;
    expect(calls).toEqual([]);
  });

  it("does not ask where no task has anything to lose, nor for what is already so", async () => {
    cluster("dynamic", "stopped", "failed");
    await changeMembership("fixed");
    expect(calls).toEqual(["cluster.setMembership"]);
    cluster("fixed", "running");
    await changeMembership("fixed");
    expect(calls).toHaveLength(1);
    expect(useUi.getState().dialog).toBeUndefined();
  });
});

describe("tasks that join", () => {
  it("ask in a fixed cluster only", async () => {
    cluster("dynamic", "running");
    await addTasksIfAllowed({ job: "ps", count: 1 });
    expect(calls).toEqual(["cluster.addTasks"]);
    cluster("fixed", "running");
    const done = addTasksIfAllowed({ job: "ps", count: 1 });
    answer(undefined);
    await done;
    expect(calls).toHaveLength(1);
  });

  it("are asked about once for all that a graph misses", async () => {
    cluster("fixed", "running");
    const add = [
      { job: "ps", count: 1 },
      { job: "worker", count: 2 },
    ];
    const started = startMissing({ names: ["ps/0"], start: [], instead: [], add });
    answer("restart");
    expect(await started).toBe(true);
    expect(calls).toEqual(["cluster.addTasks", "cluster.addTasks"]);
    const refused = startMissing({ names: ["ps/0"], start: [], instead: [], add });
    answer(undefined);
    expect(await refused).toBe(false);
    expect(calls).toHaveLength(2);
  });
});
