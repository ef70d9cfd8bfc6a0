import { afterEach, describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import * as wire from "../../../../../protos/generated/tensorflow/worker.js";
import { nowMicros } from "../../../../../worker-runtime/engines/portable/wall-clock.js";
import type { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import { PayloadKey, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { parseTransferLabel } from "../../../../../worker-runtime/session/trace/timeline-label.js";
import { constNode, cpu, edgeNode, keyOf, LocalCluster, task0, task1, unaryNode } from "./worker-fixture.js";

let cluster: LocalCluster | undefined;
afterEach(() => cluster?.close());

function start(count = 1): LocalCluster {
  cluster = new LocalCluster(count);
  return cluster;
}

const serverDef = { jobName: "worker", taskIndex: 0, protocol: "grpc" };

async function register(worker: Worker, node: NodeDef[], sessionHandle = ""): Promise<string> {
  const request = wire.RegisterGraphRequest.fromPartial({
    sessionHandle,
    createWorkerSessionCalled: sessionHandle !== "",
    graphDef: { node, versions: { producer: 2474 } },
  });
  return (await worker.registerGraph(request)).graphHandle;
}

function run(
  worker: Worker,
  graphHandle: string,
  more: Parameters<typeof wire.RunGraphRequest.fromPartial>[0] = {},
  signal?: AbortSignal,
): Promise<wire.RunGraphResponse> {
  const request = wire.RunGraphRequest.fromPartial({
    graphHandle,
    stepId: 1n,
    createWorkerSessionCalled: (more.sessionHandle ?? "") !== "",
    ...more,
  });
  return worker.runGraph(request, { signal });
}

function recv(worker: Worker, rendezvousKey: string, stepId = 1n, signal?: AbortSignal, requestId = 0n) {
  return worker.recvTensor(wire.RecvTensorRequest.fromPartial({ stepId, rendezvousKey, requestId }), {
    signal,
  });
}

/** x = 2, and its negative goes from task 0 to task 1. */
function senderGraph(sender: Worker): NodeDef[] {
  return [
    constNode("x", Tensor.of(2), cpu(task0)),
    unaryNode("y", "Neg", "x", cpu(task0)),
    edgeNode("y_S1", "y", { from: task0, to: task1, sender, tensor: "edge_1_y" }),
  ];
}

const fetched = (response: wire.RunGraphResponse): unknown[] =>
  response.recv.map(({ tensor }) => tensor && tensorFromProto(tensor).toArray());

describe("running a graph", () => {
  test("feeds go in and fetches come out under their keys", async () => {
    const worker = start().worker(0);
    const edge = { from: task0, to: task0, sender: worker };
    const handle = await register(worker, [
      edgeNode("feed", undefined, { ...edge, tensor: "x:0" }),
      unaryNode("y", "Neg", "feed", cpu(task0)),
      edgeNode("fetch", "y", { ...edge, tensor: "y:0" }),
    ]);
    expect(handle).toBe("0000000000000001");
    const key = (name: string): string => keyOf(worker, task0, task0, name);
    const response = await run(worker, handle, {
      send: [{ name: key("x:0"), tensor: tensorToProto(Tensor.of([1, -2])) }],
      recvKey: [key("y:0"), key("y:0")],
    });
    expect(response.recv.map(({ name }) => name)).toEqual([key("y:0")]);
    expect(fetched(response)).toEqual([[-1, 2]]);
    await worker.cleanupGraph({ stepId: 1n });
    expect(worker.heldSteps).toBe(0);
  });

  test("a tensor goes to another task, whichever comes first", async () => {
    const workers = start(2);
    const [sender, receiver] = [workers.worker(0), workers.worker(1)];
    const sends = await register(sender, senderGraph(sender));
    const edge = { from: task0, to: task1, sender, tensor: "edge_1_y" };
    const receives = await register(receiver, [
      edgeNode("y_S2", undefined, edge),
      edgeNode("out", "y_S2", { from: task1, to: task1, sender: receiver, tensor: "out:0" }),
    ]);
    const recvKey = [keyOf(receiver, task1, task1, "out:0")];
    // The receiver asks before the sender knows of the step.
    const early = run(receiver, receives, { recvKey });
    await run(sender, sends);
    expect(fetched(await early)).toEqual([-2]);
    await run(sender, sends, { stepId: 2n });
    expect(fetched(await run(receiver, receives, { recvKey, stepId: 2n }))).toEqual([-2]);
  });

  test("errors have TensorFlow's codes and texts, in the body where that is asked for", async () => {
    const worker = start().worker(0);
    await expect(run(worker, "g")).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: "Graph handle is not found: g",
    });
    const inBody = await run(worker, "g", { sessionHandle: "nope", storeErrorsInResponseBody: true });
    expect(inBody).toMatchObject({
      statusCode: StatusCode.ABORTED,
      statusErrorMessage: `Session handle is not found: nope. Possibly this worker ("${task0}") just restarted.`,
    });
    const handle = await register(worker, []);
    await expect(run(worker, handle, { recvKey: ["foo"] })).rejects.toMatchObject({
      code: StatusCode.INTERNAL,
      message: "Failed to fetch outputs for step 1. (Original error message: Invalid  rendezvous key: foo)",
    });
    const x = keyOf(worker, task0, task0, "x:0");
    await expect(run(worker, handle, { stepId: 2n, send: [{ name: "foo" }] })).rejects.toThrow(
      "Invalid  rendezvous key: foo",
    );
    await expect(run(worker, handle, { stepId: 3n, send: [{ name: x }] })).rejects.toThrow(
      "Invalid TensorProto for feed value 0",
    );
    await run(worker, handle, { stepId: 4n, requestId: 7n });
    await expect(run(worker, handle, { stepId: 4n, requestId: 7n })).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringMatching(/^The same RunGraph \(Worker\) request was received twice\./),
    });
    await expect(
      worker.deregisterGraph({ graphHandle: "g", sessionHandle: "", createWorkerSessionCalled: false }),
    ).rejects.toThrow("Graph handle is not found: g. Possibly, this worker just restarted.");
    await expect(register(worker, [constNode("c", Tensor.of(1), cpu(task1))])).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: `${cpu(task1)} unknown device.`,
    });
  });

  test("a step that fails tells those who wait for its tensors, as a consequence", async () => {
    const workers = start(2);
    const worker = workers.worker(0);
    const waiting = recv(worker, keyOf(worker, task0, task1, "edge_1_y"));
    const handle = await register(worker, [
      edgeNode("r", undefined, { from: task1, to: task0, sender: worker, tensor: "wrong life" }),
    ]);
    await expect(run(worker, handle)).rejects.toMatchObject({ code: StatusCode.ABORTED });
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.ABORTED, isDerived: true });
  });

  test("a cancelled step ends, and holds nothing", async () => {
    const workers = start(2);
    const [worker, silent] = [workers.worker(0), workers.worker(1)];
    const handle = await register(worker, [
      edgeNode("r", undefined, { from: task1, to: task0, sender: silent, tensor: "never" }),
    ]);
    const caller = new AbortController();
    const running = run(worker, handle, {}, caller.signal);
    caller.abort();
    await expect(running).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(worker.heldSteps).toBe(0);
    expect(silent.heldSteps).toBe(0);
  });

  test("the end of a step ends what runs, and what comes late fails", async () => {
    const workers = start(2);
    const [worker, silent] = [workers.worker(0), workers.worker(1)];
    const handle = await register(worker, [
      edgeNode("r", undefined, { from: task1, to: task0, sender: silent, tensor: "never" }),
    ]);
    const running = run(worker, handle);
    const waiting = recv(worker, keyOf(worker, task0, task1, "edge_1_y"));
    const ends = Promise.all([
      expect(running).rejects.toMatchObject({ code: StatusCode.ABORTED }),
      expect(waiting).rejects.toMatchObject({ code: StatusCode.ABORTED, message: "Cleanup 1" }),
    ]);
    await worker.cleanupGraph({ stepId: 1n });
    await ends;
    await expect(run(worker, handle)).rejects.toMatchObject({ code: StatusCode.ABORTED });
    await expect(recv(worker, keyOf(worker, task0, task1, "e"))).rejects.toMatchObject({
      code: StatusCode.ABORTED,
    });
    await worker.cleanupGraph({ stepId: 99n });
  });

  test("a partial run takes feeds and gives fetches call by call", async () => {
    const worker = start().worker(0);
    const edge = { from: task0, to: task0, sender: worker };
    const key = (name: string): string => keyOf(worker, task0, task0, name);
    const handle = await register(
      worker,
      ["a", "b"].flatMap((name) => [
        edgeNode(name, undefined, { ...edge, tensor: `${name}:0` }),
        unaryNode(`${name}_neg`, "Neg", name, cpu(task0)),
        edgeNode(`${name}_out`, `${name}_neg`, { ...edge, tensor: `${name}_neg:0` }),
      ]),
    );
    const part = (name: string, value: number, isLastPartialRun: boolean) =>
      run(worker, handle, {
        isPartial: true,
        isLastPartialRun,
        send: [{ name: key(`${name}:0`), tensor: tensorToProto(Tensor.of(value)) }],
        recvKey: [key(`${name}_neg:0`)],
      });
    expect(fetched(await part("a", 1, false))).toEqual([-1]);
    expect(fetched(await part("b", 2, true))).toEqual([-2]);
    await worker.cleanupGraph({ stepId: 1n });
    expect(worker.heldSteps).toBe(0);
  });

  test("times and partition graphs are told where they are asked for", async () => {
    const worker = start().worker(0);
    const nodes = [constNode("x", Tensor.of([1, 2]), cpu(task0))];
    const handle = await register(worker, nodes);
    const plain = await run(worker, handle);
    expect(plain.stepStats).toBeUndefined();
    expect(plain.partitionGraph).toEqual([]);
    const traced = await run(worker, handle, {
      stepId: 2n,
      execOpts: { recordTimeline: true, recordPartitionGraphs: true },
    });
    expect(traced.partitionGraph.map(({ node }) => node)).toEqual([nodes]);
    const [device] = traced.stepStats?.devStats ?? [];
    expect(device?.device).toBe(cpu(task0));
    expect(device?.nodeStats.map(({ nodeName }) => nodeName)).toContain("x");
  });
});

describe("handing tensors out", () => {
  test("only to the life of the task that the key means", async () => {
    const worker = start().worker(0);
    const stale = keyOf(worker, task0, task1, "e").replace(/;[0-9a-f]{16};/, ";000000000000007b;");
    await expect(recv(worker, stale)).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringMatching(
        /^RecvTensor expects a different device incarnation: 123 vs\. \d+\. Your worker job \("\/job:worker\/replica:0\/task:0"\) was probably restarted\. Check your worker job for the reason why it was restarted\.$/,
      ),
      payloads: new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, new Uint8Array(0)]]),
    });
    const other = keyOf(worker, task0, task1, "e").replace("CPU:0", "CPU:7");
    await expect(recv(worker, other)).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "/device:CPU:7 unknown device.",
    });
  });

  test("a request that came twice is refused, and a caller that is gone leaves nothing", async () => {
    const worker = start().worker(0);
    const key = keyOf(worker, task0, task1, "e");
    const caller = new AbortController();
    const waiting = recv(worker, key, 1n, caller.signal, 5n);
    await expect(recv(worker, key, 1n, undefined, 5n)).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: `The same RecvTensor (GrpcWorker) request was received twice. step_id: 1 rendezvous_key: "${key}" request_id: 5`,
    });
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(worker.heldSteps).toBe(0);
  });

  test("a transfer begins when the sender has the tensor, not when the receiver asks for it", async () => {
    const workers = start(2);
    const [sender, receiver] = [workers.worker(0), workers.worker(1)];
    const sends = await register(sender, senderGraph(sender));
    const receives = await register(receiver, [
      edgeNode("y_S2", undefined, { from: task0, to: task1, sender, tensor: "edge_1_y" }),
    ]);
    await receiver.logging(wire.LoggingRequest.fromPartial({ enableRpcLogging: true }));
    const received = run(receiver, receives);
    await expect.poll(() => sender.heldSteps).toBe(1);
    const before = nowMicros();
    await Promise.all([run(sender, sends), received]);
    const { step } = await receiver.logging(wire.LoggingRequest.fromPartial({ fetchStepId: [1n] }));
    const [record] = step[0]?.stepStats?.devStats[0]?.nodeStats ?? [];
    expect(Number(record?.allStartMicros)).toBeGreaterThanOrEqual(before);
    expect(Number(record?.allEndRelMicros)).toBeGreaterThan(0);
  });

  test("transfers are logged while logging is on, with TensorFlow's label", async () => {
    const workers = start(2);
    const [sender, receiver] = [workers.worker(0), workers.worker(1)];
    const sends = await register(sender, senderGraph(sender));
    const receives = await register(receiver, [
      edgeNode("y_S2", undefined, { from: task0, to: task1, sender, tensor: "edge_1_y" }),
    ]);
    const logging = (request: Partial<wire.LoggingRequest>) =>
      receiver.logging(wire.LoggingRequest.fromPartial(request));
    await logging({ enableRpcLogging: true });
    await Promise.all([run(sender, sends), run(receiver, receives)]);
    await logging({ disableRpcLogging: true });
    await Promise.all([run(sender, sends, { stepId: 2n }), run(receiver, receives, { stepId: 2n })]);
    const { step } = await logging({ fetchStepId: [1n, 2n] });
    expect(step.map(({ stepId }) => stepId)).toEqual([1n]);
    const [lane] = step[0]?.stepStats?.devStats ?? [];
    expect(lane?.device).toBe(cpu(task1));
    const [record] = lane?.nodeStats ?? [];
    expect(record?.nodeName).toBe("RecvTensor");
    expect(parseTransferLabel(record?.timelineLabel ?? "")).toEqual({
      node: "y",
      fromDevice: cpu(task0),
      toDevice: cpu(task1),
      bytes: 4,
    });
    expect((await logging({ fetchStepId: [1n] })).step).toEqual([]);
  });
});

describe("sessions", () => {
  const create = (worker: Worker, more: Parameters<typeof wire.CreateWorkerSessionRequest.fromPartial>[0]) =>
    worker.createWorkerSession(wire.CreateWorkerSessionRequest.fromPartial({ serverDef, ...more }));

  test("are made once, counted apart, and gone when deleted", async () => {
    const worker = start().worker(0);
    await expect(create(worker, { sessionHandle: "" })).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "Session must be non-empty.",
    });
    await create(worker, { sessionHandle: "a" });
    const handle = await register(worker, [], "a");
    await create(worker, { sessionHandle: "a" });
    await run(worker, handle, { sessionHandle: "a" });
    await create(worker, { sessionHandle: "b" });
    expect(await register(worker, [], "b")).toBe(handle);
    await worker.deleteWorkerSession({ sessionHandle: "a" });
    await worker.deleteWorkerSession({ sessionHandle: "a" });
    await expect(run(worker, handle, { sessionHandle: "a" })).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      payloads: new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, new Uint8Array(0)]]),
    });
    expect(worker.sessions.size).toBe(1);
    expect(worker.heldSteps).toBe(0);
  });

  test("of a master that was restarted end when it comes back", async () => {
    const worker = start().worker(0);
    const masterTask = "/job:chief/replica:0/task:0";
    await create(worker, { sessionHandle: "old", masterTask, masterIncarnation: 5n });
    await create(worker, { sessionHandle: "old2", masterTask, masterIncarnation: 5n });
    await create(worker, {
      sessionHandle: "other",
      masterTask: "/job:chief/replica:0/task:1",
      masterIncarnation: 5n,
    });
    await create(worker, { sessionHandle: "new", masterTask, masterIncarnation: 6n });
    await expect(register(worker, [], "old")).rejects.toMatchObject({ code: StatusCode.ABORTED });
    await expect(register(worker, [], "old2")).rejects.toMatchObject({ code: StatusCode.ABORTED });
    await register(worker, [], "other");
    await register(worker, [], "new");
  });

  test("isolated ones have their own name, resources and cluster", async () => {
    const worker = start().worker(0);
    const other = { job: [{ name: "mine", tasks: new Map([[3, "localhost:1"]]) }] };
    await create(worker, {
      sessionHandle: "iso",
      isolateSessionState: true,
      serverDef: { jobName: "mine", taskIndex: 3, cluster: other },
    });
    const session = worker.sessions.find(
      { sessionHandle: "iso", createWorkerSessionCalled: true },
      undefined,
    );
    const [device] = session.devices.all;
    expect(device?.name).toBe("/job:mine/replica:0/task:3/device:CPU:0");
    expect(device?.incarnation).toBe(worker.devices()[0]?.incarnation);
    expect(session.devices.resources(device?.name ?? "")).not.toBe(
      worker.sharedDevices.resources(cpu(task0)),
    );
    expect(session.workers.tasks()).toEqual(["/job:mine/replica:0/task:3"]);
    expect(session.workers.worker("/job:mine/replica:0/task:3")).toBe(worker);
    await register(worker, [constNode("c", Tensor.of(1), "/job:mine/replica:0/task:3/device:CPU:0")], "iso");
  });

  test("shared ones see the resources of the task, also under another name", async () => {
    const worker = start().worker(0);
    await create(worker, { sessionHandle: "s" });
    expect(
      worker.sessions.find({ sessionHandle: "s", createWorkerSessionCalled: true }, undefined).devices,
    ).toBe(worker.sharedDevices);
    const cluster = { job: [{ name: "mine", tasks: new Map([[0, "localhost:1"]]) }] };
    await create(worker, { sessionHandle: "t", serverDef: { jobName: "mine", taskIndex: 0, cluster } });
    const { devices } = worker.sessions.find(
      { sessionHandle: "t", createWorkerSessionCalled: true },
      undefined,
    );
    expect(devices.resources("/job:mine/replica:0/task:0/device:CPU:0")).toBe(
      worker.sharedDevices.resources(cpu(task0)),
    );
  });

  test("with a cluster that cannot be are refused", async () => {
    const worker = start().worker(0);
    const cluster = (address: string) => ({ job: [{ name: "worker", tasks: new Map([[0, address]]) }] });
    await expect(
      create(worker, { sessionHandle: "x", serverDef: { ...serverDef, cluster: cluster("bad") } }),
    ).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: 'Could not interpret "bad" as a host-port pair.',
    });
    await expect(
      create(worker, {
        sessionHandle: "x",
        serverDef: { ...serverDef, taskIndex: 4, cluster: cluster("localhost:1") },
      }),
    ).rejects.toMatchObject({ code: StatusCode.INTERNAL });
  });
});

describe("the rest of the service", () => {
  test("containers are cleared; the default one when none is named", async () => {
    const worker = start().worker(0);
    const resources = worker.sharedDevices.resources(cpu(task0));
    for (const container of ["", "a", "b"]) {
      resources.create(container, "v", { typeName: "Var" });
    }
    await worker.cleanupAll({ container: [] });
    expect(["", "a", "b"].map((container) => resources.find(container, "Var", "v") !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    await worker.cleanupAll({ container: ["a", "nope"] });
    expect(resources.find("a", "Var", "v")).toBeUndefined();
  });

  test("what it does not have says so", async () => {
    const worker = start().worker(0);
    await expect(worker.tracing()).rejects.toMatchObject({
      code: StatusCode.UNIMPLEMENTED,
      message: "Tracing",
    });
  });
});
