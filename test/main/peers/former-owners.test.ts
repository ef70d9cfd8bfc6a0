import { expect, test } from "vitest";
import { activeTasksOf, mayOwnTasks, removeTasksOfFormerOwners } from "../../../main/peers/former-owners.js";
import type { TaskOrder } from "../../../main/tasks/task-host.js";
import { makeInstallation, trusted } from "../support/trusting.js";
import { until } from "../support/until.js";
import { MemoryTasks } from "./agent/memory-tasks.js";

const order = (taskId: string, owner: string): TaskOrder => ({
  ...{ taskId, job: "worker", index: 0, engine: "tensorflow", gpu: "none", port: 0 },
  ...{ isolate: true, owner },
});

test("tasks leave with the rights of the machine that wanted them, and none comes after", async () => {
  const [here, guest, other] = await Promise.all([
    makeInstallation(),
    makeInstallation(),
    makeInstallation(),
  ]);
  const [ownId, guestId, otherId] = [here, guest, other].map(({ identity }) => identity.deviceId) as [
    string,
    string,
    string,
  ];
  const tasks = new MemoryTasks();
  const ids = () => tasks.tasks().map(({ id }) => id);
  await here.trust.put(trusted(guest.identity, "guest", "manage"));
  await here.trust.put(trusted(other.identity, "other", "run"));
  const stop = removeTasksOfFormerOwners(here.trust, ownId, tasks);
  try {
    await tasks.start(order("own", ownId));
    await tasks.start(order("guest", guestId));
    await tasks.start(order("other", otherId));
    expect(activeTasksOf(guestId, tasks.tasks())).toEqual(["worker/0"]);
    await here.trust.put(trusted(guest.identity, "guest", "run"));
    expect(ids()).toEqual(["own", "guest", "other"]);
    await here.trust.put(trusted(guest.identity, "guest", "view"));
    await until("the viewer's task is gone", () => ids().join() === "own,other");
    expect(activeTasksOf(guestId, tasks.tasks())).toEqual([]);
    await here.trust.remove(otherId);
    await until("the task of the one that is forgotten is gone", () => ids().join() === "own");
    // An order that was under way when the right was taken.
    await tasks.start(order("late", otherId));
    await until("it is gone too", () => ids().join() === "own");
    expect([ownId, guestId, otherId].map((id) => mayOwnTasks(here.trust, ownId, id))).toEqual([
      true,
      false,
      false,
    ]);
  } finally {
    stop();
    await Promise.all([here, guest, other].map((one) => one.close()));
  }
});
