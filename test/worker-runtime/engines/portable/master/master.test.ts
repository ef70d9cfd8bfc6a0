import { afterEach, expect, test, vi } from "vitest";
import {
  ConfigProto,
  RunOptions,
  RunOptions_TraceLevel,
} from "../../../../../protos/generated/tensorflow/config.js";
import * as masterProto from "../../../../../protos/generated/tensorflow/master.js";
import type * as proto from "../../../../../protos/generated/tensorflow/worker.js";
import { invalidArgument, StatusCode, unavailable } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { FakeCluster, untilCancelled } from "./fake-cluster.js";
import { add, constant, graphOf, identity, placeholder } from "./node-makers.js";

const never = () => ({ signal: new AbortController().signal });
/** p + k on ps/0, fetched by the master. */
const graph = graphOf(placeholder("p"), constant("k", 1, "/job:ps"), add("x", "p", "k", "/job:ps"));
const fed = { feed: [{ name: "p:0", tensor: tensorToProto(Tensor.of(2)) }] };

afterEach(() => {
  vi.useRealTimers();
});

test("a session waits for the devices of all tasks, then makes itself known to each, the own one included", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph, { isolateSessionState: true });
  expect(handle).toMatch(/^[0-9a-f]{16}$/);
  expect(cluster.order()).toEqual([
    "getStatus /job:ps/task:0",
    "getStatus /job:worker/task:1",
    "createWorkerSession /job:worker/task:0",
    "createWorkerSession /job:ps/task:0",
    "createWorkerSession /job:worker/task:1",
  ]);
  const [request] = cluster.requests<proto.CreateWorkerSessionRequest>("createWorkerSession", "/job:ps");
  expect(request).toMatchObject({
    sessionHandle: handle,
    isolateSessionState: true,
    masterTask: "/job:worker/replica:0/task:0",
    masterIncarnation: BigInt.asIntN(64, cluster.own.device.incarnation),
    clusterDeviceAttributes: [],
  });
  expect(request?.serverDef).toMatchObject({
    cluster: undefined,
    jobName: "ps",
    taskIndex: 0,
    protocol: "grpc",
  });
  expect(request?.serverDef?.defaultSessionConfig?.experimental?.coordinationConfig).toMatchObject({
    serviceType: "standalone",
    serviceLeader: "/job:worker/replica:0/task:0",
  });
});

test("tasks that the filters leave out are not asked", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(undefined, { deviceFilters: ["/job:ps"] });
  expect(cluster.order("getStatus")).toEqual(["getStatus /job:ps/task:0"]);
  const { localDevice } = await cluster.master.listDevices({ sessionHandle: handle }, never());
  expect(localDevice.map(({ name }) => name)).toEqual([cluster.own.device.name, cluster.ps0.device.name]);
});

test("a task that does not answer yet is waited for, and named in the log every ten seconds", async () => {
  vi.useFakeTimers();
  const cluster = new FakeCluster();
  const answer = cluster.ps0.onGetStatus;
  cluster.ps0.onGetStatus = () => Promise.reject(unavailable("nobody listens"));
  const created = cluster.createSession();
  await vi.advanceTimersByTimeAsync(20_500);
  expect(cluster.lines).toEqual(
    Array(2).fill("CreateSession still waiting for response from worker: /job:ps/replica:0/task:0"),
  );
  cluster.ps0.onGetStatus = answer;
  await vi.advanceTimersByTimeAsync(2000);
  await expect(created).resolves.toMatch(/./);
});

test("the client may give up waiting", async () => {
  const cluster = new FakeCluster();
  cluster.ps0.onGetStatus = (_, options) => untilCancelled(options);
  const client = new AbortController();
  const created = cluster.createSession(undefined, {}, { signal: client.signal });
  client.abort();
  await expect(created).rejects.toMatchObject({ code: StatusCode.CANCELLED });
});

test("a graph is registered once for each kind of step; the own task takes feeds and gives fetches", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  for (const fetch of [
    ["x:0", "k:0"],
    ["k:0", "x:0"],
  ]) {
    const { tensor, statusCode } = await cluster.runStep(handle, { ...fed, fetch });
    expect(statusCode).toBe(0);
    expect(tensor.map(({ name }) => name)).toEqual(fetch);
  }
  expect(cluster.order("registerGraph")).toHaveLength(2);
  const [registered] = cluster.requests<proto.RegisterGraphRequest>("registerGraph", "/job:ps");
  expect(registered).toMatchObject({
    sessionHandle: handle,
    createWorkerSessionCalled: true,
    hasControlFlow: false,
    collectiveGraphKey: 0n,
    graphOptions: undefined,
  });
  const [own] = cluster.requests<proto.RunGraphRequest>("runGraph", "/job:worker");
  const [remote] = cluster.requests<proto.RunGraphRequest>("runGraph", "/job:ps");
  expect(own?.send.map(({ name }) => name)).toEqual([expect.stringMatching(/;p:0;0:0$/)]);
  expect(own?.recvKey).toHaveLength(2);
  expect(remote).toMatchObject({ send: [], recvKey: [], storeErrorsInResponseBody: true, isPartial: false });
  expect(own?.stepId).toBe(remote?.stepId);
  expect((own?.stepId ?? 0n) >> 57n).toBe(0n);
  expect(own?.requestId).not.toBe(remote?.requestId);
  await expect.poll(() => cluster.order("cleanupGraph")).toHaveLength(4);
});

test("of prepared steps the one that was not used for longest goes", async () => {
  const cluster = new FakeCluster({ maxPreparedSteps: 2 });
  const handle = await cluster.createSession(graphOf(constant("a", 1), constant("b", 1), constant("c", 1)));
  for (const name of ["a:0", "b:0", "a:0", "c:0", "a:0"]) {
    await cluster.runStep(handle, { fetch: [name] });
  }
  expect(cluster.order("registerGraph")).toHaveLength(3);
  await expect.poll(() => cluster.requests("deregisterGraph")).toMatchObject([{ graphHandle: "graph 2" }]);
});

test("when one task fails the others are cancelled, and the client learns whose error it is", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  cluster.ps0.onRunGraph = () => Promise.reject(invalidArgument("no kernel"));
  cluster.own.onRunGraph = (_, options) => untilCancelled(options);
  await expect(cluster.runStep(handle, { ...fed, fetch: ["x:0"] })).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: "From /job:ps/replica:0/task:0:\nno kernel",
  });
  const response = await cluster.runStep(handle, { ...fed, fetch: ["x:0"], storeErrorsInResponseBody: true });
  expect(response).toMatchObject({
    statusCode: StatusCode.INVALID_ARGUMENT,
    statusErrorMessage: "From /job:ps/replica:0/task:0:\nno kernel",
  });
});

test("a long step ends when a task in it is another process than before", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  await cluster.runStep(handle, { ...fed, fetch: ["x:0"] });
  vi.useFakeTimers();
  cluster.own.onRunGraph = (_, options) => untilCancelled(options);
  cluster.ps0.onRunGraph = (_, options) => untilCancelled(options);
  const { device } = new FakeCluster().ps0;
  cluster.ps0.onGetStatus = async () => ({ deviceAttributes: [device.attributes] });
  const step = expect(cluster.runStep(handle, { ...fed, fetch: ["x:0"] })).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    message: expect.stringContaining("/job:ps/replica:0/task:0 was restarted"),
  });
  await vi.advanceTimersByTimeAsync(5000);
  await step;
});

test("a long step ends when a task in it does not answer twice", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  await cluster.runStep(handle, { ...fed, fetch: ["x:0"] });
  vi.useFakeTimers();
  cluster.own.onRunGraph = (_, options) => untilCancelled(options);
  cluster.ps0.onRunGraph = (_, options) => untilCancelled(options);
  cluster.ps0.onGetStatus = () => Promise.reject(unavailable("no route"));
  let ended = false;
  const step = expect(
    cluster.runStep(handle, { ...fed, fetch: ["x:0"] }).finally(() => {
      ended = true;
    }),
  ).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  await vi.advanceTimersByTimeAsync(5000);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(5000);
  await step;
});

test("a step ends with its client, with its time, and with its session", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  cluster.own.onRunGraph = (_, options) => untilCancelled(options);
  const client = new AbortController();
  const cancelledStep = cluster.runStep(handle, { ...fed, fetch: ["x:0"] }, client.signal);
  client.abort();
  await expect(cancelledStep).rejects.toMatchObject({ code: StatusCode.CANCELLED });

  const options = RunOptions.fromPartial({ timeoutInMs: 1n });
  await expect(cluster.runStep(handle, { ...fed, fetch: ["x:0"], options })).rejects.toMatchObject({
    code: StatusCode.DEADLINE_EXCEEDED,
  });

  const closedStep = expect(cluster.runStep(handle, { ...fed, fetch: ["x:0"] })).rejects.toMatchObject({
    code: StatusCode.CANCELLED,
    message: "Step was cancelled by an explicit call to `Session::Close()`.",
  });
  await cluster.master.closeSession({ sessionHandle: handle }, never());
  await closedStep;
  const deleted = cluster.calls.filter(({ method }) => method === "deleteWorkerSession");
  expect(deleted.map(({ options }) => options?.deadlineMillis)).toEqual([10_000, 10_000, 10_000]);
});

test("an unknown session is said in TensorFlow's words", async () => {
  const { master } = new FakeCluster();
  const gone = { code: StatusCode.ABORTED, message: "Session feed is not found." };
  const run = { ...masterProto.RunStepRequest.create(), sessionHandle: "feed" };
  await expect(master.runStep(run, never())).rejects.toMatchObject(gone);
  await expect(
    master.extendSession({ sessionHandle: "feed", graphDef: undefined, currentGraphVersion: 0n }, never()),
  ).rejects.toMatchObject(gone);
  const restarted = "Session feed is not found. Possibly, this master has restarted.";
  await expect(master.closeSession({ sessionHandle: "feed" }, never())).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    message: restarted,
  });
  await expect(master.listDevices({ sessionHandle: "feed" }, never())).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: restarted,
  });
});

test("a reset clears containers everywhere and ends all sessions", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  await cluster.master.reset({ container: ["c"], deviceFilters: [] }, never());
  expect(cluster.order("cleanupAll").sort()).toEqual([
    "cleanupAll /job:ps/task:0",
    "cleanupAll /job:worker/task:0",
    "cleanupAll /job:worker/task:1",
  ]);
  await expect(cluster.runStep(handle, { fetch: ["k:0"] })).rejects.toMatchObject({
    code: StatusCode.ABORTED,
  });
});

test("a client's own cluster is isolated, carries its ClusterSpec and renames the devices", async () => {
  const cluster = new FakeCluster();
  const clusterDef = {
    job: [
      {
        name: "other",
        tasks: new Map([
          [0, "w0:2222"],
          [3, "w1:2222"],
        ]),
      },
    ],
  };
  const handle = await cluster.createSession(undefined, { clusterDef });
  const [request] = cluster.requests<proto.CreateWorkerSessionRequest>(
    "createWorkerSession",
    "/job:worker/replica:0/task:1",
  );
  expect(request).toMatchObject({
    isolateSessionState: true,
    masterTask: "/job:other/replica:0/task:0",
    serverDef: { jobName: "other", taskIndex: 3, cluster: clusterDef },
  });
  const devices = await cluster.master.listDevices({ sessionHandle: handle }, never());
  expect(devices.localDevice).toMatchObject([
    { name: "/job:other/replica:0/task:0/device:CPU:0", incarnation: cluster.own.device.incarnation },
  ]);
  expect(devices.remoteDevice).toMatchObject([{ name: "/job:other/replica:0/task:3/device:CPU:0" }]);
  await cluster.master.closeSession({ sessionHandle: handle }, never());
  expect(cluster.closedCaches).toBe(1);

  await cluster.createSession(undefined, {
    clusterDef,
    experimental: { shareSessionStateInClusterspecPropagation: true },
  });
  const requests = cluster.requests<proto.CreateWorkerSessionRequest>("createWorkerSession");
  expect(requests.at(-1)?.isolateSessionState).toBe(false);
});

test.each([
  [
    { job: [{ name: "other", tasks: new Map([[1, "w1:2222"]]) }] },
    "The master (current machine) is not included in the provided cluster_def.",
  ],
  [
    {
      job: [
        {
          name: "other",
          tasks: new Map([
            [0, "w0:2222"],
            [1, "w0:2222"],
          ]),
        },
      ],
    },
    "Found multiple matching tasks that correspond to to the master.",
  ],
  [
    { job: [{ name: "worker", tasks: new Map([[0, "w0:2222"]]) }] },
    "The ClusterSpec names the job and task index to be the same names that were provided when the server booted.",
  ],
])("a client's cluster in which the master cannot find itself is refused", async (clusterDef, text) => {
  await expect(new FakeCluster().createSession(undefined, { clusterDef })).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: expect.stringContaining(text),
  });
});

test("the server's default configuration holds for all sessions", async () => {
  const cluster = new FakeCluster({}, ConfigProto.fromPartial({ allowSoftPlacement: true }));
  await expect(cluster.createSession(graphOf(placeholder("p", "/gpu:0")))).resolves.toMatch(/./);
});

test("at the limit of sessions an abandoned one makes room, one in use does not", async () => {
  const busy = new FakeCluster({ maxSessions: 1 });
  await busy.createSession();
  await expect(busy.createSession()).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });

  const abandoned = new FakeCluster({ maxSessions: 1, abandonedAfterMillis: 0 });
  const first = await abandoned.createSession();
  await abandoned.createSession();
  await expect(abandoned.runStep(first, { fetch: ["k:0"] })).rejects.toMatchObject({
    code: StatusCode.ABORTED,
  });
  expect(abandoned.order("deleteWorkerSession")).toHaveLength(3);
});

test("a session that nobody uses for long is closed; one that is used or runs a step is not", async () => {
  vi.useFakeTimers();
  const cluster = new FakeCluster({ sessionIdleMillis: 1000 });
  const left = await cluster.createSession();
  const used = await cluster.createSession(graph);
  for (let i = 0; i < 3; i += 1) {
    await vi.advanceTimersByTimeAsync(500);
    await cluster.master.listDevices({ sessionHandle: used }, never());
  }
  const list = (sessionHandle: string) => cluster.master.listDevices({ sessionHandle }, never());
  await expect(list(left)).rejects.toThrow(`Session ${left} is not found.`);
  await expect(list(used)).resolves.toBeDefined();
  expect(cluster.lines).toEqual([`Closing session ${left}, which was left without being closed.`]);
  expect(cluster.order("deleteWorkerSession")).toHaveLength(3);
  await cluster.master.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("a traced step records the calls between workers, and merges what they recorded", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  const options = RunOptions.fromPartial({
    traceLevel: RunOptions_TraceLevel.FULL_TRACE,
    outputPartitionGraphs: true,
  });
  const stats = (device: string, nodeName: string) => ({
    devStats: [{ device, nodeStats: [{ nodeName }], threadNames: new Map() }],
  });
  const answer = cluster.own.onRunGraph;
  cluster.own.onRunGraph = async (request) => ({
    ...(await answer(request)),
    stepStats: stats("own", "send") as proto.RunGraphResponse["stepStats"],
    partitionGraph: [graphOf(constant("seen", 1))],
  });
  const { metadata } = await cluster.runStep(handle, { ...fed, fetch: ["x:0"], options });
  expect(metadata?.stepStats?.devStats.map(({ device }) => device)).toEqual(["own"]);
  expect(metadata?.partitionGraphs[0]?.node[0]?.name).toBe("seen");
  const [run] = cluster.requests<proto.RunGraphRequest>("runGraph");
  expect(run?.execOpts).toMatchObject({ recordTimeline: true, recordPartitionGraphs: true });
  const logging = cluster.requests<proto.LoggingRequest>("logging", "/job:ps");
  expect(logging).toMatchObject([
    { enableRpcLogging: true },
    { disableRpcLogging: true },
    { fetchStepId: [run?.stepId] },
  ]);
});

test("a partial run goes to the own task bit by bit, to the others at its beginning and end", async () => {
  const cluster = new FakeCluster();
  const nodes = [placeholder("p"), placeholder("q"), identity("a", "p", "/job:ps"), add("b", "a", "q")];
  const handle = await cluster.createSession(graphOf(...nodes));
  const setup = {
    sessionHandle: handle,
    feed: ["p:0", "q:0"],
    fetch: ["a:0", "b:0"],
    target: [],
    requestId: 0n,
  };
  const { partialRunHandle } = await cluster.master.partialRunSetup(setup, never());
  const one = tensorToProto(Tensor.of(1));
  const part = (feed: readonly string[], fetch: string[]) =>
    cluster.runStep(handle, { partialRunHandle, feed: feed.map((name) => ({ name, tensor: one })), fetch });

  await expect(part([], ["b:0"])).rejects.toThrow(
    "can't be computed from the feeds that have been fed so far.",
  );
  await expect(part(["r:0"], [])).rejects.toThrow("The feed r:0 was not specified in partial_run_setup.");
  await part(["p:0"], ["a:0"]);
  await expect(part(["p:0"], [])).rejects.toThrow("The feed p:0 has already been fed.");
  await expect(part([], ["a:0"])).rejects.toThrow("The fetch a:0 has already been fetched.");
  await part(["q:0"], []);
  expect(cluster.order("cleanupGraph")).toEqual([]);
  await part([], ["b:0"]);
  await expect.poll(() => cluster.order("cleanupGraph")).toHaveLength(2);
  await expect(part([], ["b:0"])).rejects.toThrow("Must run PartialRunSetup before performing partial runs");

  const marks = (task: string) =>
    cluster
      .requests<proto.RunGraphRequest>("runGraph", task)
      .map(({ isPartial, isLastPartialRun, send, recvKey }) => [
        isPartial,
        isLastPartialRun,
        send.length,
        recvKey.length,
      ]);
  expect(marks("/job:worker")).toEqual([
    [true, false, 1, 1],
    [true, false, 1, 0],
    [true, true, 0, 1],
  ]);
  expect(marks("/job:ps")).toEqual([
    [true, false, 0, 0],
    [true, true, 0, 0],
  ]);
});

test("a callable has its tensors by place, and may connect one to another", async () => {
  const cluster = new FakeCluster();
  const handle = await cluster.createSession(graph);
  const make = async (
    options: Parameters<typeof masterProto.MakeCallableRequest.fromPartial>[0]["options"],
  ) => {
    const request = masterProto.MakeCallableRequest.fromPartial({ sessionHandle: handle, options });
    return (await cluster.master.makeCallable(request, never())).handle;
  };
  const run = (callable: bigint, ...values: number[]) =>
    cluster.master.runCallable(
      masterProto.RunCallableRequest.fromPartial({
        sessionHandle: handle,
        handle: callable,
        feed: values.map((value) => tensorToProto(Tensor.of(value))),
      }),
      never(),
    );
  const callable = await make({ feed: ["p:0"], fetch: ["x:0", "x:0"] });
  expect((await run(callable, 1)).fetch).toHaveLength(2);
  await expect(run(callable)).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
  await expect(run(77n)).rejects.toThrow("No such callable handle: 77");
  const release = { sessionHandle: handle, handle: callable };
  await cluster.master.releaseCallable(release, never());
  await cluster.master.releaseCallable(release, never());
  await expect(run(callable, 1)).rejects.toThrow(
    `Attempted to run callable after handle was released: ${callable}`,
  );
  const connected = await make({
    fetch: ["x:0"],
    tensorConnection: [{ fromTensor: "k:0", toTensor: "p:0" }],
  });
  expect((await run(connected)).fetch).toHaveLength(1);
});
