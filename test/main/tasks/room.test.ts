import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Runtime } from "../../../main/api/runtime.js";
import { createMachine, type MachineRoom } from "../../../main/machine/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { createTasks, type TasksRoom } from "../../../main/tasks/room.js";
import type { TaskOrder } from "../../../main/tasks/task-host.js";
import { scriptTasks } from "../support/script-tasks.js";
import { TestSettings } from "../support/settings-port.js";
import { toldEvents } from "../support/told-events.js";
import { until } from "../support/until.js";

const library: Runtime = { path: "/lib", origin: "the system's", version: "2.21.0", gpu: false };

let folder: string;
let settings: TestSettings;
let machine: MachineRoom;
const rooms: TasksRoom[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-tasks-"));
  settings = new TestSettings();
  machine = createMachine({ settings, listGpus: async () => [] });
});
afterEach(async () => {
  await Promise.all(rooms.splice(0).map((room) => room.dispose()));
  await machine.dispose();
  await rm(folder, { recursive: true });
});

/** @param mayOwn Whose tasks of an earlier life come back. */
function make(mayOwn: (deviceId: string) => boolean = () => true) {
  const scripts = scriptTasks();
  const { emit, told } = toldEvents();
  const room = createTasks({
    engine: {
      launcher: () => scripts.launch,
      openProbe: scripts.openProbe,
      runtime: {
        find: async () => ({ runtime: library }),
        offer: async () => ({}),
        install: () => Promise.reject(new Error("nothing to install")),
        opList: async () => new Uint8Array(),
      },
    },
    settings,
    machine,
    owners: { ownId: "here", mayOwn },
    emit,
    wantedFile: join(folder, "tasks.json"),
    namespaces: async () => ({ ok: false, reason: "This system has no namespaces." }),
  });
  rooms.push(room);
  return { room, scripts, told };
}

function order(taskId: string, more: Partial<TaskOrder> = {}): TaskOrder {
  return {
    ...{ taskId, job: "worker", index: 0, engine: "portable", gpu: "auto", port: 0 },
    ...{ isolate: false, owner: "here" },
    ...more,
  };
}

const allRun = ({ host }: TasksRoom) =>
  until("all run", () => host.tasks().every(({ state }) => state === "running"));

it("the machine says what can compute once that was looked for, and windows are told", async () => {
  const { room, told } = make();
  expect(machine.description().engines.map(({ engine }) => engine)).toEqual(["portable"]);
  expect((await room.host.engines?.())?.map(({ engine }) => engine)).toEqual(["tensorflow", "portable"]);
  expect(machine.description().engines.map(({ engine }) => engine)).toEqual(["tensorflow", "portable"]);
  expect(await room.handlers["runtime.get"](undefined, THIS_PROGRAM)).toEqual({ runtime: library });
  expect(told).toContainEqual({ event: "runtime", data: { runtime: library } });
});

it("tasks of others that the network reaches end when the user takes the permission back", async () => {
  const { room } = make();
  await settings.set({ allowExposedTasks: true });
  await until("it is known", () => machine.description().exposure !== undefined);
  expect(machine.description().exposure).toEqual({ allowed: true, avoidable: false });
  await room.host.start(order("own"));
  await room.host.start(order("others", { index: 1, owner: "pi" }));
  await allRun(room);
  await settings.set({ allowExposedTasks: false });
  expect(room.host.tasks().map(({ id, state }) => `${id} ${state}`)).toEqual([
    "own running",
    "others stopped",
  ]);
  expect(machine.description().exposure?.allowed).toBe(false);
});

it("ends every process with its work, and brings back the tasks of those that may still own some", async () => {
  const first = make();
  await settings.set({ allowExposedTasks: true });
  await first.room.host.start(order("own"));
  await first.room.host.start(order("others", { index: 1, owner: "pi" }));
  await allRun(first.room);
  await first.room.dispose();
  expect(first.scripts.children.map(({ killed }) => killed)).toEqual([true, true]);
  const second = make((deviceId) => deviceId === "here");
  await second.room.restore();
  expect(second.room.host.tasks().map(({ id }) => id)).toEqual(["own"]);
});
