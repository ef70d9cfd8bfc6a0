import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunOptions_TraceLevel } from "../../protos/generated/tensorflow/config.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { peerMissing } from "../support/peers.js";
import { blockingGraph } from "./peers/blocking-graph.js";
import { constant, graphOf, placeholder, shape, type, typed, types } from "./peers/nodes.js";
import { freeCluster, type StockServers, startStockServers } from "./peers/stock-servers.js";

const missing = peerMissing("tensorflow");

let servers: StockServers;
const open = new Set<Session>();

beforeAll(async () => {
  const cluster = await freeCluster({ worker: 2 });
  servers = await startStockServers(cluster, ["worker/0", "worker/1"]);
});

afterAll(async () => {
  await Promise.all([...open].map((session) => session.close()));
  await servers?.process.stop();
});

function sessionOn(task: string, options: ConstructorParameters<typeof Session>[1] = {}): Session {
  const session = new Session(servers.target(task), options);
  open.add(session);
  return session;
}

const task0 = "/job:worker/task:0";
const task1 = "/job:worker/task:1";
const device0 = "/job:worker/replica:0/task:0/device:CPU:0";
const device1 = "/job:worker/replica:0/task:1/device:CPU:0";
const welcome = graphOf(
  constant("a", 3, "float32"),
  constant("b", 2, "float32"),
  typed("x", "AddV2", ["a", "b"], "float32", task0),
  typed("y", "Mul", ["a", "b"], "float32", task0),
  typed("z", "AddV2", ["x", "y"], "float32", task1),
);

describe.skipIf(missing)("a step", () => {
  test("runs a graph over two tasks; fetches come in their order, twice if asked twice", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    const { values, metadata } = await session.run(["z", "x:0", "z:0"]);
    expect(values.map((value) => value.item())).toEqual([11, 5, 11]);
    expect(metadata).toBeUndefined();
  });

  test("with a trace says where each node ran", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    const { metadata } = await session.run(["z"], { options: { trace: true, outputPartitionGraphs: true } });
    const nodes = new Map(
      metadata?.stepStats?.devStats.flatMap((dev) =>
        dev.nodeStats.map((node) => [node.nodeName, dev.device]),
      ),
    );
    expect(nodes.get("z")).toBe(device1);
    expect(metadata?.partitionGraphs.length).toBeGreaterThan(1);
  });

  test("takes plain values for placeholders, and a fetch that is fed is the feed", async () => {
    const graph = graphOf(placeholder("p", "int32"), typed("q", "Square", ["p"], "int32", task1));
    const session = sessionOn("worker/0", { graph });
    const { values } = await session.run(["q", "p"], {
      feeds: {
        p: [
          [1, 2],
          [3, 4],
        ],
      },
    });
    expect(values.map((value) => value.toArray())).toEqual([
      [
        [1, 4],
        [9, 16],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ]);
    expect(values[1]?.dtype).toBe("int32");
  });

  test("with a timeout ends with DEADLINE_EXCEEDED", async () => {
    const session = sessionOn("worker/0", { graph: blockingGraph("timeout", task1) });
    await expect(session.run(["d"], { options: { timeoutMillis: 300 } })).rejects.toMatchObject({
      codeName: "DEADLINE_EXCEEDED",
    });
  });

  test("many at the same time on one session", async () => {
    const graph = graphOf(placeholder("p", "float32"), typed("q", "Neg", ["p"], "float32", task1));
    const session = sessionOn("worker/0", { graph });
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => session.run(["q"], { feeds: { p: i } })),
    );
    expect(results.map(({ values }) => -Number(values[0]?.item()))).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
  });
});

describe.skipIf(missing)("every dtype goes there and back", () => {
  const samples: [DType, Tensor][] = [
    ["float16", Tensor.of([[1.5, -2, 65504]], "float16")],
    ["bfloat16", Tensor.of([1.5, -2], "bfloat16")],
    ["float32", Tensor.of([0.1, -1e38])],
    ["float64", Tensor.of([0.1, Math.PI], "float64")],
    ["int8", Tensor.of([-128, 127], "int8")],
    ["int16", Tensor.of([-32768, 32767], "int16")],
    ["int32", Tensor.of([[-(2 ** 31)], [2 ** 31 - 1]], "int32")],
    ["int64", Tensor.of([-(2n ** 63n), 2n ** 63n - 1n])],
    ["uint8", Tensor.of([0, 255], "uint8")],
    ["uint16", Tensor.of([0, 65535], "uint16")],
    ["uint32", Tensor.of([0, 2 ** 32 - 1], "uint32")],
    ["uint64", Tensor.of([0n, 2n ** 64n - 1n], "uint64")],
    ["bool", Tensor.of([true, false])],
    ["string", Tensor.of(["Grüße", "", "a\0b"])],
    ["complex64", Tensor.of([{ re: 1, im: -2 }])],
    ["complex128", Tensor.of({ re: 0.1, im: -2 }, "complex128")],
    ["float32", Tensor.of([], "float32", [0, 3])],
    ["string", Tensor.of([], "string", [0])],
    ["float8_e5m2", Tensor.of([1.5, -2], "float8_e5m2")],
    ["float8_e4m3fn", Tensor.of([1.5, -448], "float8_e4m3fn")],
    ["int4", Tensor.of([-8, 7], "int4")],
    ["uint4", Tensor.of([0, 15], "uint4")],
  ];

  test.each(samples)("%s, fed and as a constant, through the other task", async (dtype, tensor) => {
    const graph = graphOf(
      placeholder("fed", dtype),
      constant("const", tensor),
      typed("one", "Identity", ["fed"], dtype, task1),
      typed("two", "Identity", ["const"], dtype, task1),
    );
    const session = sessionOn("worker/0", { graph });
    const { values } = await session.run(["one", "two"], { feeds: { fed: tensor } });
    for (const value of values) {
      expect(value.dtype).toBe(dtype);
      expect(value.shape).toEqual(tensor.shape);
      expect(value.toArray()).toEqual(tensor.toArray());
    }
    await session.close();
  });

  test("64 MB whose memory is not aligned in the message", async () => {
    const count = 8 * 1024 * 1024;
    const sent = Tensor.of(Float64Array.from({ length: count }, (_, i) => i));
    const graph = graphOf(placeholder("p", "float64"), typed("q", "Identity", ["p"], "float64", task1));
    const session = sessionOn("worker/0", { graph });
    const { values } = await session.run(["q"], { feeds: { p: sent } });
    const received = values[0]?.data as Float64Array;
    expect(
      Buffer.compare(
        Buffer.from(received.buffer, received.byteOffset, received.byteLength),
        Buffer.from((sent.data as Float64Array).buffer),
      ),
    ).toBe(0);
  });
});

describe.skipIf(missing)("errors", () => {
  test("of a node on another task keep their code, message and task", async () => {
    const graph = graphOf(
      placeholder("p", "int32"),
      { name: "check", op: "Assert", input: ["no", "p"], device: task1, attr: { T: types("int32") } },
      constant("no", false, undefined, task1),
    );
    const session = sessionOn("worker/0", { graph });
    await expect(session.run([], { targets: ["check"], feeds: { p: [7] } })).rejects.toMatchObject({
      name: "TensorFlowError",
      codeName: "INVALID_ARGUMENT",
      task: "/job:worker/replica:0/task:1",
      message: expect.stringContaining("assertion failed: [7]"),
    });
  });

  test("of the request come from the master", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    await expect(session.run(["nothing:0"])).rejects.toMatchObject({
      codeName: "NOT_FOUND",
      message: expect.stringContaining("nothing:0"),
    });
    await expect(session.run(["two words"])).rejects.toMatchObject({ codeName: "INVALID_ARGUMENT" });
  });

  test("of a graph that cannot be created leave the session usable", async () => {
    const session = sessionOn("worker/0", { graph: graphOf({ name: "n", op: "NoSuchOp" }) });
    await expect(session.run(["n"])).rejects.toMatchObject({ message: expect.stringContaining("NoSuchOp") });
    await expect(session.run(["n"])).rejects.toMatchObject({ message: expect.stringContaining("NoSuchOp") });
  });

  test("of a device that does not exist name it", async () => {
    const session = sessionOn("worker/0", {
      graph: graphOf({ ...constant("c", 1), device: "/job:worker/task:5" }),
    });
    await expect(session.run(["c"])).rejects.toMatchObject({ message: expect.stringContaining("task:5") });
  });
});

describe.skipIf(missing)("the session", () => {
  test("sends what the graph gained, and nothing twice", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    expect((await session.run(["z"])).values[0]?.item()).toBe(11);
    await session.extend(graphOf(typed("more", "Neg", ["z"], "float32", task0)));
    await session.extend(graphOf(typed("most", "Neg", ["more"], "float32", task1)));
    expect((await session.run(["more", "most"])).values.map((value) => value.item())).toEqual([-11, 11]);
  });

  test("an extension that is refused leaves it usable", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    await session.run(["z"]);
    await expect(session.extend(graphOf(constant("a", 1)))).rejects.toMatchObject({
      name: "TensorFlowError",
    });
  });

  test("lists the devices of all tasks", async () => {
    const session = sessionOn("worker/0", { graph: welcome });
    const names = (await session.listDevices()).map((device) => device.name);
    expect(names).toEqual(expect.arrayContaining([device0, device1]));
    expect(new Set(names).size).toBe(names.length);
  });

  test("callables", async () => {
    const graph = graphOf(
      placeholder("p", "float32"),
      placeholder("q", "float32"),
      typed("sum", "AddV2", ["p", "q"], "float32", task1),
    );
    const session = sessionOn("worker/0", { graph });
    const sum = await session.makeCallable({ feeds: ["p", "q:0"], fetches: ["sum"] });
    for (const [p, q] of [
      [1, 2],
      [3, 4],
    ] as const) {
      expect((await sum.run([p, q])).values[0]?.item()).toBe(p + q);
    }
    await expect(sum.run([1])).rejects.toMatchObject({ codeName: "INVALID_ARGUMENT" });
    await sum.release();
    await expect(sum.run([1, 2])).rejects.toMatchObject({ codeName: "FAILED_PRECONDITION" });
  });

  test("partial runs", async () => {
    const graph = graphOf(
      placeholder("a", "float32"),
      placeholder("b", "float32"),
      placeholder("c", "float32"),
      typed("r1", "AddV2", ["a", "b"], "float32", task1),
      typed("r2", "Mul", ["r1", "c"], "float32"),
    );
    const session = sessionOn("worker/0", { graph });
    const partial = await session.partialRunSetup({ feeds: ["a", "b", "c"], fetches: ["r1", "r2"] });
    const first = (await partial.run(["r1"], { feeds: { a: 1, b: 2 } })).values[0];
    expect(first?.item()).toBe(3);
    const second = await session.partialRun(partial, ["r2"], { feeds: { c: Number(first?.item()) * 17 } });
    expect(second.values[0]?.item()).toBe(153);
  });

  test("options of TensorFlow's own reach the servers", async () => {
    const session = sessionOn("worker/0", {
      graph: welcome,
      config: { graphOptions: { optimizerOptions: { optLevel: -1 } } },
    });
    const { metadata } = await session.run(["z"], {
      options: { runOptions: { traceLevel: RunOptions_TraceLevel.FULL_TRACE } },
    });
    expect(metadata?.stepStats?.devStats.length).toBeGreaterThan(0);
  });

  test("device filters hide the other task", async () => {
    const session = sessionOn("worker/0", {
      graph: graphOf(constant("c", 1)),
      config: { deviceFilters: ["/job:worker/task:0"] },
    });
    const names = (await session.listDevices()).map((device) => device.name);
    expect(names).not.toContain(device1);
  });
});

/** S4: a variable of one name is one variable, whichever session uses it. */
function variableGraph(name: string, device = "") {
  return graphOf(
    constant("zero", 0, undefined, device),
    constant("one", 1, undefined, device),
    { name, op: "VariableV2", device, attr: { dtype: type("float32"), shape: shape() } },
    typed("init", "Assign", [name, "zero"], "float32", device),
    typed("add", "AssignAdd", [name, "one"], "float32", device),
    typed("read", "Identity", [name], "float32", device),
  );
}

describe.skipIf(missing)("shared variables", () => {
  test("are one and the same for sessions on different masters", async () => {
    const first = sessionOn("worker/0", { graph: variableGraph("var", task0) });
    const second = sessionOn("worker/1", { graph: variableGraph("var", task0) });
    await first.run([], { targets: ["init"] });
    expect((await second.run(["read"])).values[0]?.item()).toBe(0);
    await first.run([], { targets: ["add"] });
    expect((await first.run(["read"])).values[0]?.item()).toBe(1);
    expect((await second.run(["read"])).values[0]?.item()).toBe(1);
  });

  test("live where they are pinned", async () => {
    const session = sessionOn("worker/0", { graph: variableGraph("var2", task1) });
    await session.run([], { targets: ["init"] });
    const { metadata } = await session.run(["add"], { options: { trace: true } });
    const devices = metadata?.stepStats?.devStats
      .filter((dev) => dev.nodeStats.some((node) => node.nodeName === "add"))
      .map((dev) => dev.device);
    expect(devices).toEqual([device1]);
  });

  test("are gone after a reset, which closes the sessions, too", async () => {
    const session = sessionOn("worker/0", { graph: variableGraph("var3") });
    await session.run([], { targets: ["init"] });
    await Session.reset(servers.target("worker/0"));
    await expect(session.run(["read"])).rejects.toMatchObject({ codeName: "ABORTED" });
    const next = sessionOn("worker/0", { graph: variableGraph("var3") });
    await expect(next.run(["read"])).rejects.toMatchObject({ codeName: "FAILED_PRECONDITION" });
  });
});

describe.skipIf(missing)("cancelling", () => {
  test("a blocked step ends at once, here and on the servers, and the session goes on", async () => {
    const session = sessionOn("worker/0", { graph: blockingGraph("cancelled", task1) });
    const controller = new AbortController();
    const step = session.run(["d"], { targets: ["begin", "held"], signal: controller.signal });
    // A stock master loses the cancellation of a step that it has not sent to its workers yet.
    await session.run(["begun"]);
    controller.abort();
    await expect(step).rejects.toMatchObject({ codeName: "CANCELLED" });
    await session.run([], { targets: ["lock"] });
    // The dequeue was cancelled on the server, too: a later one gets the element, not the forgotten one.
    const later = session.run(["d"]);
    await session.run([], { targets: ["e"] });
    expect((await later).values[0]?.item()).toBe(1);
  });

  test("closing the session ends its steps", async () => {
    const session = sessionOn("worker/0", { graph: blockingGraph("closed", task1) });
    const step = session.run(["d"], { targets: ["begin"] });
    await session.run(["begun"]);
    const closed = session.close();
    await expect(step).rejects.toMatchObject({
      codeName: "CANCELLED",
      message: expect.stringContaining("closed"),
    });
    await closed;
    await expect(session.run(["c"])).rejects.toMatchObject({ codeName: "FAILED_PRECONDITION" });
  });

  test("a signal that is aborted already sends nothing; the session's own signal closes it", async () => {
    const own = new AbortController();
    const session = sessionOn("worker/0", { graph: welcome, signal: own.signal });
    await expect(session.run(["z"], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
    own.abort();
    expect(session.isClosed).toBe(true);
  });
});
