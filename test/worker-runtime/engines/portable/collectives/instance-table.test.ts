import { expect, test } from "vitest";
import {
  CollectiveType,
  type Group,
  type InstanceRequest,
} from "../../../../../worker-runtime/engines/portable/collectives/collective.js";
import {
  InstanceTable,
  NO_SOURCE,
} from "../../../../../worker-runtime/engines/portable/collectives/instance-table.js";
import { cpuKind, makeDevice } from "../../../../../worker-runtime/engines/portable/device.js";
import { aborted, StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const never = new AbortController().signal;
const devices = [0, 1].map((index) => makeDevice({ job: "worker", index }, cpuKind()).attributes);
const group: Group = { groupKey: 1, groupSize: 2, deviceType: "CPU", devices };

function request(rank: number, parts: Partial<InstanceRequest> = {}): InstanceRequest {
  return {
    name: "node",
    groupKey: 1,
    groupSize: 2,
    instanceKey: 7,
    type: CollectiveType.BROADCAST,
    dtype: "float32",
    shape: [3],
    device: devices[rank]?.name ?? "/job:worker/replica:0/task:9/device:CPU:0",
    isSource: false,
    ...parts,
  };
}

test("a broadcast waits for all members and tells each the source", async () => {
  const table = new InstanceTable();
  const ranks = [request(0), request(1, { isSource: true })].map((each) =>
    table.complete(group, each, never),
  );
  expect(await Promise.all(ranks)).toEqual([1, 1]);
  expect(await table.complete(group, request(0), never)).toBe(1);
});

test("other collectives wait for nobody", async () => {
  const table = new InstanceTable();
  const sum = { type: CollectiveType.REDUCTION };
  expect(await table.complete(group, request(0, sum), never)).toBe(NO_SOURCE);
});

test.each([
  ["a broadcast without a source", {}, {}, StatusCode.INTERNAL, "Instance 7 found no source for broadcast."],
  [
    "a second source",
    { isSource: true },
    { isSource: true },
    StatusCode.INTERNAL,
    "Instance 7 already has source 0, received second claim from 1",
  ],
  [
    "another shape",
    {},
    { shape: [4] },
    StatusCode.INVALID_ARGUMENT,
    "Shape mismatch in the collective instance 7.",
  ],
  [
    "another dtype",
    {},
    { dtype: "int32" },
    StatusCode.INTERNAL,
    "expected type 1 and data_type 1 but got type 1 and data_type 3",
  ],
] as const)("%s is an error for all; then it begins anew", async (_, first, second, code, message) => {
  const table = new InstanceTable();
  const problem = { code, message: expect.stringContaining(message) };
  const waits = table.complete(group, request(0, first), never);
  const comes = table.complete(group, request(1, second), never);
  await expect(waits).rejects.toMatchObject(problem);
  await expect(comes).rejects.toMatchObject(problem);
  const again = [request(0, { isSource: true }), request(1)];
  expect(await Promise.all(again.map((each) => table.complete(group, each, never)))).toEqual([0, 0]);
});

test("a source that gives up is none", async () => {
  const table = new InstanceTable();
  const controller = new AbortController();
  const gone = table.complete(group, request(0, { isSource: true }), controller.signal);
  controller.abort();
  await expect(gone).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  const ranks = [request(0), request(1, { isSource: true })].map((each) =>
    table.complete(group, each, never),
  );
  expect(await Promise.all(ranks)).toEqual([1, 1]);
});

test("a device that is no member is refused, and a forgotten group ends the waits", async () => {
  const table = new InstanceTable();
  await expect(table.complete(group, request(5), never)).rejects.toMatchObject({ code: StatusCode.INTERNAL });
  const waits = table.complete(group, request(0), never);
  table.forget(group, aborted("restarted"));
  await expect(waits).rejects.toMatchObject({ code: StatusCode.ABORTED, message: "restarted" });
});
