/** A worker's answers to other tasks. Texts and codes are those of TensorFlow 2.21. */
import { afterEach, describe, expect, test } from "vitest";
import { RecvBufRespExtra } from "../../../../../protos/generated/tensorflow/transport_options.js";
import {
  CompleteGroupRequest,
  CompleteInstanceRequest,
  RecvBufRequest,
} from "../../../../../protos/generated/tensorflow/worker.js";
import { tensorOfBuf } from "../../../../../worker-runtime/engines/portable/collectives/buf-message.js";
import { CollectiveService } from "../../../../../worker-runtime/engines/portable/collectives/collective-service.js";
import { cpuKind } from "../../../../../worker-runtime/engines/portable/device.js";
import { RecentRequestIds } from "../../../../../worker-runtime/engines/portable/rendezvous/recent-request-ids.js";
import { TaskDevices } from "../../../../../worker-runtime/engines/portable/worker/task-devices.js";
import { internalError, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { cpu, LocalCluster, task0, task1 } from "../worker/worker-fixture.js";

const never = new AbortController().signal;
const clusters: LocalCluster[] = [];

afterEach(() => {
  for (const cluster of clusters.splice(0)) {
    cluster.close();
  }
});

function start(count: number): LocalCluster {
  const cluster = new LocalCluster(count);
  clusters.push(cluster);
  return cluster;
}

function serviceOf(groupLeader = "") {
  const { workers } = start(1).worker(0);
  const devices = TaskDevices.make({ job: "worker", index: 0 }, [cpuKind()]);
  const service = new CollectiveService({
    devices,
    workers,
    groupLeader,
    requestIds: new RecentRequestIds(),
  });
  const request = (parts: Partial<RecvBufRequest> = {}) =>
    RecvBufRequest.fromPartial({
      stepId: 5n,
      bufRendezvousKey: "1:1:0:0:0:0:0",
      srcDevice: cpu(task0),
      srcIncarnation: devices.all[0]?.incarnation ?? 0n,
      ...parts,
    });
  return { service, session: { devices, workers }, request };
}

describe("CompleteGroup and CompleteInstance", () => {
  test("bring the members of a group together", async () => {
    const cluster = start(2);
    const leader = cluster.worker(0);
    const answers = await Promise.all(
      cluster.workers.map((worker) =>
        leader.completeGroup(
          CompleteGroupRequest.fromPartial({
            groupKey: 3,
            groupSize: 2,
            deviceType: "CPU",
            deviceAttributes: worker.devices()[0]?.attributes ?? {},
          }),
        ),
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ groupKey: 3, groupSize: 2, numTasks: 2, deviceType: "CPU" });
      expect(answer.deviceAttributes.map(({ name }) => name)).toEqual([cpu(task0), cpu(task1)]);
    }
    const instance = (device: string, isSource: boolean) =>
      leader.completeInstance(
        CompleteInstanceRequest.fromPartial({
          groupKey: 3,
          groupSize: 2,
          instanceKey: 4,
          type: 1,
          dataType: 1,
          shape: { dim: [{ size: 2n }] },
          device,
          isSource,
        }),
      );
    expect(await Promise.all([instance(cpu(task0), false), instance(cpu(task1), true)])).toEqual([
      { instanceKey: 4, sourceRank: 1 },
      { instanceKey: 4, sourceRank: 1 },
    ]);
  });

  test("refuse what makes no sense", async () => {
    const worker = start(1).worker(0);
    await expect(worker.completeGroup(CompleteGroupRequest.create())).rejects.toMatchObject({
      code: StatusCode.INTERNAL,
      message: expect.stringContaining("CompleteGroupRequest device_attributes is not set."),
    });
    await expect(
      worker.completeInstance(CompleteInstanceRequest.fromPartial({ groupKey: 999, dataType: 1, shape: {} })),
    ).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
      message: "group 999 not found. This normally means the server has restarted",
    });
  });
});

test("GetStepSequence is the leader's affair", () => {
  expect(() => serviceOf(task1).service.getStepSequence({ graphKey: [1n] })).toThrow(
    expect.objectContaining({
      code: StatusCode.INTERNAL,
      message: "GetStepSequenceAsync called at non-group-leader",
    }),
  );
  expect(serviceOf(task0).service.getStepSequence({ graphKey: [1n] }).stepSequence).toHaveLength(1);
});

describe("RecvBuf", () => {
  test("answers with the bytes of what a step provides", async () => {
    const { service, session, request } = serviceOf();
    const members = service.beginStep(5n, session, "");
    const params = {
      name: "node",
      groupKey: 1,
      groupSize: 1,
      instanceKey: 1,
      type: 0,
      dtype: "float32",
      shape: [2],
      device: cpu(task0),
      isSource: false,
    } as const;
    const member = await members.join(params, never);
    const provided = member.provide("1:1:0:0:0:0:0", Tensor.of([1, 2]), never);
    const answer = await service.recvBuf(request(), never);
    await provided;
    expect(answer.numBytes).toBe(8n);
    expect(answer.transportOptions?.typeUrl).toBe("type.googleapis.com/tensorflow.RecvBufRespExtra");
    const expected = { dtype: "float32", count: 2 } as const;
    expect(tensorOfBuf(answer, expected).toArray()).toEqual([1, 2]);
    expect(() => tensorOfBuf(answer, { ...expected, count: 3 })).toThrow(
      "RecvBufResponse returned 8 bytes where to_tensor expected 12",
    );
    expect(service.endStep(5n)).toBe(true);
    expect(service.heldSteps).toBe(0);
  });

  test("bytes may come in chunks, as stock servers send them", () => {
    const chunks = [new Uint8Array([1, 0, 0]), new Uint8Array([0, 2, 0, 0, 0])];
    const response = {
      bufPtr: 0n,
      numBytes: 8n,
      isDead: false,
      sendStartMicros: 0n,
      requireAck: false,
      transportOptions: {
        typeUrl: "type.googleapis.com/tensorflow.RecvBufRespExtra",
        value: RecvBufRespExtra.encode({ tensorContent: chunks }).finish(),
      },
    };
    expect(tensorOfBuf(response, { dtype: "int32", count: 2 }).toArray()).toEqual([1, 2]);
  });

  test.each([
    [
      "a device that is not here",
      { srcDevice: cpu(task0).replace("CPU", "GPU") },
      StatusCode.INVALID_ARGUMENT,
      "unknown device.",
    ],
    [
      "an earlier life of the task",
      { srcIncarnation: 4n },
      StatusCode.FAILED_PRECONDITION,
      "RecvBuf expects a different device incarnation: 4 vs. ",
    ],
  ] as const)("of %s is refused", async (_, parts, code, message) => {
    const { service, request } = serviceOf();
    await expect(service.recvBuf(request(parts), never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test("goes by the device and its life, as sessions may call the task by another name", async () => {
    const { service, session, request } = serviceOf();
    service.beginStep(5n, session, "");
    const controller = new AbortController();
    const named = service.recvBuf(request({ srcDevice: cpu(task1) }), controller.signal);
    controller.abort();
    await expect(named).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    const other = request({ srcDevice: cpu(task1), srcIncarnation: 4n });
    await expect(service.recvBuf(other, never)).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
  });

  test("that comes twice is refused", async () => {
    const { service, request } = serviceOf();
    const controller = new AbortController();
    const first = service.recvBuf(request({ requestId: 7n }), controller.signal);
    await expect(service.recvBuf(request({ requestId: 7n }), never)).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringContaining("The same RecvBuf (GrpcWorker) request was received twice."),
    });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(service.heldSteps).toBe(0);
  });

  test("ends when the step is cleaned up, when it fails, and when the server ends", async () => {
    const { service, session, request } = serviceOf();
    const cleaned = service.recvBuf(request(), never);
    service.endStep(5n);
    await expect(cleaned).rejects.toMatchObject({
      code: StatusCode.INTERNAL,
      message: "Delete called on non-empty BufRendezvous",
    });
    const members = service.beginStep(6n, session, "");
    const failed = service.recvBuf(request({ stepId: 6n }), never);
    service.failStep(6n, members, internalError("a node failed"));
    await expect(failed).rejects.toMatchObject({ message: "a node failed" });
    service.endStep(6n);
    await expect(service.recvBuf(request({ stepId: 6n }), never)).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: "Step 6 has failed on this task: a node failed",
    });
    const ended = service.recvBuf(request({ stepId: 7n }), never);
    service.close();
    await expect(ended).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  });
});
