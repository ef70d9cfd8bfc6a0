import { expect, test } from "vitest";
import type { DeviceAttributes } from "../../../../../protos/generated/tensorflow/device_attributes.js";
import type { Group } from "../../../../../worker-runtime/engines/portable/collectives/collective.js";
import { GroupTable } from "../../../../../worker-runtime/engines/portable/collectives/group-table.js";
import { cpuKind, makeDevice } from "../../../../../worker-runtime/engines/portable/device.js";
import { cancelled, StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const never = new AbortController().signal;

function device(index: number, incarnation = BigInt(index + 1)): DeviceAttributes {
  return makeDevice({ job: "worker", index }, cpuKind(), incarnation).attributes;
}

function join(
  table: GroupTable,
  attributes: DeviceAttributes,
  { groupSize = 2, deviceType = "CPU", signal = never } = {},
): Promise<Group> {
  return table.complete(
    { groupKey: 1, groupSize, deviceType, collectiveType: 0, device: attributes },
    signal,
  );
}

test("a group waits for all of its devices, which rank by job and task, not by when they came", async () => {
  const table = new GroupTable();
  const groups = await Promise.all([10, 2, 0].map((index) => join(table, device(index), { groupSize: 3 })));
  for (const { devices } of groups) {
    expect(devices.map(({ name }) => name)).toEqual(
      [0, 2, 10].map((index) => `/job:worker/replica:0/task:${index}/device:CPU:0`),
    );
  }
  expect(table.find(1)).toBe(groups[0]);
  expect(await join(table, device(2), { groupSize: 3 })).toBe(groups[0]);
});

test("a member that does not fit ends the wait of the others; the next group is gathered anew", async () => {
  const table = new GroupTable();
  const first = join(table, device(0));
  const problem = {
    code: StatusCode.INTERNAL,
    message: expect.stringContaining(
      "is joining a group with size 3, but that group has size 2 (group_key=1)",
    ),
  };
  const second = join(table, device(1), { groupSize: 3 });
  await expect(first).rejects.toMatchObject(problem);
  await expect(second).rejects.toMatchObject(problem);
  expect(table.size).toBe(0);
  await Promise.all([join(table, device(0)), join(table, device(1))]);
});

test("a complete group stays as it is", async () => {
  const table = new GroupTable();
  const [group] = await Promise.all([join(table, device(0)), join(table, device(1))]);
  await expect(join(table, device(2))).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: expect.stringContaining("is joining a group that is already full (group_key=1)"),
  });
  await expect(join(table, device(1), { deviceType: "GPU" })).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: expect.stringContaining("is joining a group with incompatible device type"),
  });
  expect(await join(table, device(1))).toBe(group);
});

test("a member that was restarted is told so, and the group is gathered anew", async () => {
  const forgotten: Group[] = [];
  const table = new GroupTable((group) => forgotten.push(group));
  const [group] = await Promise.all([join(table, device(0)), join(table, device(1))]);
  await expect(join(table, device(1, 99n))).rejects.toMatchObject({
    code: StatusCode.FAILED_PRECONDITION,
    message: expect.stringContaining("current incarnation doesn't match with one in the group"),
  });
  expect(forgotten).toEqual([group]);
  const [again] = await Promise.all([join(table, device(0)), join(table, device(1, 99n))]);
  expect(again.devices.map(({ incarnation }) => incarnation)).toEqual([1n, 99n]);
});

test("who gives up is no member any more", async () => {
  const table = new GroupTable();
  const controller = new AbortController();
  const gone = join(table, device(0), { signal: controller.signal });
  controller.abort(cancelled("enough"));
  await expect(gone).rejects.toMatchObject({ code: StatusCode.CANCELLED, message: "enough" });
  expect(table.size).toBe(0);
  const waits = join(table, device(1));
  await expect(join(table, device(2), { signal: AbortSignal.abort() })).resolves.toBeDefined();
  await expect(waits).resolves.toMatchObject({ groupSize: 2 });
});

test.each([0, -1, 100_000])("a group of %i devices is none", async (groupSize) => {
  await expect(join(new GroupTable(), device(0), { groupSize })).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: `group_size must be positive integer but got ${groupSize}`,
  });
});

test("closing ends the waits", async () => {
  const table = new GroupTable();
  const waits = join(table, device(0));
  table.close(cancelled("The server is ending."));
  await expect(waits).rejects.toMatchObject({ code: StatusCode.CANCELLED });
});
