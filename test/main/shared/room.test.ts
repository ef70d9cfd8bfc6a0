import { expect, it, vi } from "vitest";
import { endAll, once, type Room } from "../../../main/shared/room.js";

it("the work of all rooms ends before the first of them does, and the last made ends first", async () => {
  const said: string[] = [];
  const room = (name: string, work?: () => Promise<void>): Room<unknown> => ({
    handlers: {},
    ...(work && { endWork: work }),
    dispose: async () => {
      said.push(`${name} ends`);
    },
  });
  let tasksEnd = () => {};
  const tasks = new Promise<void>((resolve) => {
    tasksEnd = resolve;
  });
  const ended = endAll([
    room("settings"),
    room("tasks", async () => {
      await tasks;
      said.push("no task is left");
    }),
    // The closing of sessions waits for the tasks, which end at the same time.
    room("runs", async () => {
      tasksEnd();
      await tasks;
      said.push("no session is left");
    }),
  ]);
  await ended;
  expect(said.slice(0, 2).sort()).toEqual(["no session is left", "no task is left"]);
  expect(said.slice(2)).toEqual(["runs ends", "tasks ends", "settings ends"]);
});

it("a room that fails is reported and keeps no other from ending", async () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => {});
  const ended: string[] = [];
  await endAll([
    { handlers: {}, dispose: async () => void ended.push("the first") },
    { handlers: {}, dispose: () => Promise.reject(new Error("a port that does not close")) },
  ]);
  expect(ended).toEqual(["the first"]);
  expect(reported.mock.calls.join()).toContain("a port that does not close");
  reported.mockRestore();
});

it("what is done once is waited for by every call", async () => {
  let times = 0;
  const end = once(async () => {
    times++;
  });
  await Promise.all([end(), end()]);
  expect(times).toBe(1);
});
