import { describe, expect, it } from "vitest";
import { taskNameOfDevice } from "../../../renderer/cluster/task-name.js";
import { receiveCluster, useCluster } from "../../../renderer/stores/cluster-store.js";
import { isStriped, taskColourVar } from "../../../renderer/theme/task-colour.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

describe("taskNameOfDevice", () => {
  it.each([
    ["/job:worker/task:0", "worker/0"],
    ["/job:worker/replica:0/task:12/device:CPU:0", "worker/12"],
    ["/task:1/job:my_job", "my_job/1"],
    ["/job:ps/task:03/cpu:0", "ps/3"],
    ["job:ps/task:1", "ps/1"],
    ["/job:worker", undefined],
    ["/device:GPU:0", undefined],
    ["", undefined],
  ])("%j names %j", (device, name) => {
    expect(taskNameOfDevice(device)).toBe(name);
  });
});

describe("useCluster", () => {
  it("finds the task of a device on any machine", () => {
    receiveCluster(
      clusterOf([
        machineOf("a", { tasks: [taskOf("worker/0")] }),
        machineOf("b", { kind: "paired", tasks: [taskOf("ps/0"), taskOf("worker/1")] }),
      ]),
    );
    const { tasks, taskForDevice } = useCluster.getState();
    expect(tasks.map(({ id }) => id)).toEqual(["worker/0", "ps/0", "worker/1"]);
    expect(taskForDevice("/job:worker/replica:0/task:1/device:GPU:0")?.id).toBe("worker/1");
    expect(taskForDevice("/job:worker/task:2")).toBeUndefined();
  });
});

describe("colours of tasks", () => {
  it("repeat from the ninth on, striped", () => {
    expect(taskColourVar({ colour: 7 })).toBe("var(--t8)");
    expect(isStriped({ colour: 7 })).toBe(false);
    expect(taskColourVar({ colour: 8 })).toBe("var(--t1)");
    expect(isStriped({ colour: 8 })).toBe(true);
    expect(taskColourVar(undefined)).toBe("var(--fg-2)");
  });
});
