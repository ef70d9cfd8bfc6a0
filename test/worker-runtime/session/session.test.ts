import { status } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import * as master from "../../../protos/generated/tensorflow/master.js";
import { GetStatusResponse } from "../../../protos/generated/tensorflow/worker.js";
import { Tensor, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";
import type { GraphSource } from "../../../worker-runtime/session/graph-source.js";
import { Session, type SessionOptions } from "../../../worker-runtime/session/session.js";
import { constant, graphOf, placeholder } from "../../interop/peers/nodes.js";
import { type FakeServer, type Handlers, startFakeServer } from "../rpc/fake-server.js";

const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) {
    await end();
  }
});

/** A master that answers every fetch with 7, unless told otherwise. */
async function serve(handlers: Handlers = {}, incarnation: () => bigint = () => 1n): Promise<FakeServer> {
  const server = await startFakeServer(
    {
      CreateSession: () => ({ sessionHandle: "handle", graphVersion: 3n }),
      ExtendSession: ({ currentGraphVersion }: master.ExtendSessionRequest) => ({
        newGraphVersion: currentGraphVersion + 1n,
      }),
      RunStep: ({ fetch }: master.RunStepRequest) => ({
        ...master.RunStepResponse.create(),
        tensor: fetch.map((name) => ({ name, tensor: tensorToProto(Tensor.of(7)) })),
      }),
      CloseSession: () => ({}),
      ...handlers,
    },
    {
      GetStatus: () =>
        GetStatusResponse.fromPartial({
          deviceAttributes: [
            { name: "/job:worker/replica:0/task:0/device:CPU:0", incarnation: incarnation() },
          ],
        }),
    },
  );
  cleanUp.push(server.stop);
  return server;
}

function sessionOn(server: FakeServer, options: SessionOptions = {}): Session {
  const session = new Session(`grpc://${server.address}`, options);
  cleanUp.push(() => session.close());
  return session;
}

function calls<T>(server: FakeServer, method: string): T[] {
  return server.calls.filter((call) => call.method === method).map((call) => call.request as T);
}

const graph = graphOf(constant("c", 1));

describe("what is sent", () => {
  test("nothing by the constructor; the first run creates the session with the graph, config and target", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph, config: { allowSoftPlacement: true } });
    expect(server.calls).toEqual([]);
    await session.run(["c"]);
    const [create] = calls<master.CreateSessionRequest>(server, "CreateSession");
    expect(create?.target).toBe(`grpc://${server.address}`);
    expect(create?.config?.allowSoftPlacement).toBe(true);
    expect(create?.graphDef?.node.map((node) => node.name)).toEqual(["c"]);
  });

  test("steps by wire names, with errors in the body, a random id, and no options unless asked", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph: graphOf(constant("c", 1), placeholder("p", "int64")) });
    await session.run(["c", { name: "d:1" }, "p"], {
      feeds: { p: 5 },
      targets: ["t", { name: "^u" }, "c:0"],
    });
    await session.run(["c"], { options: { trace: true, timeoutMillis: 1500.5 } });
    const [first, second] = calls<master.RunStepRequest>(server, "RunStep");
    expect(first).toMatchObject({
      sessionHandle: "handle",
      fetch: ["c:0", "d:1"],
      target: ["t", "u", "c"],
      storeErrorsInResponseBody: true,
      options: undefined,
      partialRunHandle: "",
    });
    expect(first?.feed.map(({ name, tensor }) => [name, tensor?.dtype])).toEqual([["p:0", 9]]);
    expect(first?.requestId).not.toBe(0n);
    expect(first?.requestId).not.toBe(second?.requestId);
    expect(second?.options).toMatchObject({ traceLevel: 3, timeoutInMs: 1501n });
  });

  test("only new nodes by a graph that grew, with the version that the master gave", async () => {
    const server = await serve();
    const whole = graphOf(constant("a", 1), constant("b", 1), constant("c", 1));
    let size = 1;
    const source: GraphSource = {
      get size() {
        return size;
      },
      toGraphDef: (from = 0) => GraphDef.fromPartial({ ...whole, node: whole.node.slice(from, size) }),
    };
    const session = sessionOn(server, { graph: source });
    await session.run(["a"]);
    await session.run(["a"]);
    size = 3;
    await Promise.all([session.run(["b"]), session.run(["c"])]);
    await session.extend(graphOf(constant("d", 1)));
    const extensions = calls<master.ExtendSessionRequest>(server, "ExtendSession");
    expect(
      extensions.map((one) => [one.currentGraphVersion, one.graphDef?.node.map((node) => node.name)]),
    ).toEqual([
      [3n, ["b", "c"]],
      [4n, ["d"]],
    ]);
  });

  test("one CreateSession for runs that begin at the same time, and Tensordeck's own attributes are not part of it", async () => {
    const server = await serve();
    const marked = graphOf({ ...constant("c", 1), attr: { _tensordeck_x: { $case: "f", value: 1 } } });
    const session = sessionOn(server, { graph: marked });
    await Promise.all([session.run(["c"]), session.run(["c"]), session.open()]);
    const creations = calls<master.CreateSessionRequest>(server, "CreateSession");
    expect(creations).toHaveLength(1);
    expect([...(creations[0]?.graphDef?.node[0]?.attr.keys() ?? [])]).toEqual([]);
  });

  test("CloseSession once, and none where no session was created", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph });
    await session.run(["c"]);
    await Promise.all([session.close(), session.close()]);
    expect(calls(server, "CloseSession")).toEqual([expect.objectContaining({ sessionHandle: "handle" })]);
    const unused = sessionOn(server, { graph });
    await unused.close();
    expect(calls(server, "CloseSession")).toHaveLength(1);
  });
});

describe("what comes back", () => {
  test("an error in the body keeps its code and task", async () => {
    const statusErrorMessage = "From /job:worker/replica:0/task:1:\nno";
    const server = await serve({
      RunStep: () => ({ ...master.RunStepResponse.create(), statusCode: 10, statusErrorMessage }),
    });
    await expect(sessionOn(server, { graph }).run(["c"])).rejects.toMatchObject({
      codeName: "ABORTED",
      task: "/job:worker/replica:0/task:1",
      message: statusErrorMessage,
    });
  });

  test.each([
    ["a fetch is missing", []],
    ["a tensor comes that was not fetched", ["c:0", "x:0"]],
  ])("it is an error when %s", async (_, names) => {
    const server = await serve({
      RunStep: () => ({
        ...master.RunStepResponse.create(),
        tensor: names.map((name) => ({ name, tensor: tensorToProto(Tensor.of(7)) })),
      }),
    });
    await expect(sessionOn(server, { graph }).run(["c"])).rejects.toMatchObject({ codeName: "INTERNAL" });
  });

  test("a session that could not be created is tried again by the next run, with the whole graph", async () => {
    let failures = 1;
    const server = await serve({
      CreateSession: () => {
        if (failures-- > 0) {
          throw { code: status.RESOURCE_EXHAUSTED, details: "busy" };
        }
        return { sessionHandle: "handle", graphVersion: 0n };
      },
    });
    const session = sessionOn(server, { graph });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "RESOURCE_EXHAUSTED",
      message: "busy",
    });
    expect((await session.run(["c"])).values[0]?.item()).toBe(7);
    expect(
      calls<master.CreateSessionRequest>(server, "CreateSession").map((one) => one.graphDef?.node.length),
    ).toEqual([1, 1]);
  });
});

describe("watching", () => {
  test("a task that was restarted ends the step with ABORTED, by name", async () => {
    let incarnation = 1n;
    const other = await serve({}, () => incarnation);
    const server = await serve({
      RunStep: () => {
        incarnation = 2n;
        return new Promise(() => undefined);
      },
    });
    const session = sessionOn(server, {
      graph,
      cluster: { worker: [server.address, other.address] },
    });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "ABORTED",
      task: "/job:worker/replica:0/task:1",
      message: expect.stringContaining("/job:worker/task:1"),
    });
  });

  test("a task that stops listening ends the step with UNAVAILABLE", async () => {
    const other = await serve();
    const server = await serve({
      RunStep: () => {
        other.stop();
        return new Promise(() => undefined);
      },
    });
    const session = sessionOn(server, { graph, cluster: { worker: [server.address], ps: [other.address] } });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      task: "/job:ps/replica:0/task:0",
      message: expect.stringMatching(/\/job:ps\/task:0 .* stopped answering .* nothing listens/),
    });
  });

  test("can be switched off, and filtered tasks are left alone", async () => {
    const server = await serve();
    const cluster = { worker: [server.address, "127.0.0.1:1"] };
    const unwatched = sessionOn(server, { graph, cluster, watchTasks: false });
    expect((await unwatched.run(["c"])).values[0]?.item()).toBe(7);
    const filtered = sessionOn(server, { graph, cluster, config: { deviceFilters: ["/job:worker/task:0"] } });
    expect((await filtered.run(["c"])).values[0]?.item()).toBe(7);
  });
});

describe("cancelling", () => {
  test("a caller that leaves does not take the session from another", async () => {
    let release: (() => void) | undefined;
    const server = await serve({
      CreateSession: () =>
        new Promise((resolve) => {
          release = () => resolve({ sessionHandle: "handle", graphVersion: 0n });
        }),
    });
    const reached = new Promise<void>((resolve) => {
      cleanUp.push(() => resolve());
      const session = sessionOn(server, { graph, onProgress: () => undefined });
      const controller = new AbortController();
      const leaving = session.run(["c"], { signal: controller.signal });
      const staying = session.run(["c"]);
      const poll = setInterval(() => {
        if (release !== undefined) {
          clearInterval(poll);
          controller.abort();
          leaving.catch(async (error: unknown) => {
            expect(error).toMatchObject({ codeName: "CANCELLED" });
            release?.();
            expect((await staying).values[0]?.item()).toBe(7);
            resolve();
          });
        }
      }, 5);
    });
    await reached;
  });

  test("the last caller to leave cancels the creation on the master; a later run begins anew", async () => {
    let attempts = 0;
    const controller = new AbortController();
    const server = await serve({
      CreateSession: (_: never, signal: AbortSignal) => {
        attempts += 1;
        if (attempts > 1) {
          return { sessionHandle: "second", graphVersion: 0n };
        }
        controller.abort();
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject({ code: status.CANCELLED, details: "" })),
        );
      },
    });
    const session = sessionOn(server, { graph });
    await expect(session.run(["c"], { signal: controller.signal })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
    await session.run(["c"]);
    expect(calls<master.RunStepRequest>(server, "RunStep").map((one) => one.sessionHandle)).toEqual([
      "second",
    ]);
  });
});

describe("graphs and feeds that are refused", () => {
  test("the session goes on without a GraphDef that the master refused", async () => {
    const server = await serve({
      ExtendSession: ({ graphDef, currentGraphVersion }: master.ExtendSessionRequest) => {
        if (graphDef?.node.some(({ name }) => name === "c")) {
          throw { code: status.INVALID_ARGUMENT, details: "node 'c' was created before" };
        }
        return { newGraphVersion: currentGraphVersion + 1n };
      },
    });
    const session = sessionOn(server, { graph });
    await session.open();
    const refused = session.extend(graphOf(constant("c", 2)));
    const taken = session.extend(graphOf(constant("d", 2)));
    await expect(refused).rejects.toMatchObject({ codeName: "INVALID_ARGUMENT" });
    await taken;
    await session.run(["d"]);
    await expect(session.extend(graphOf(constant("c", 3)))).rejects.toMatchObject({
      codeName: "INVALID_ARGUMENT",
    });
    await session.run(["d"]);
    expect(
      calls<master.ExtendSessionRequest>(server, "ExtendSession").map(({ graphDef }) =>
        graphDef?.node.map(({ name }) => name),
      ),
    ).toEqual([["c"], ["d"], ["c"]]);
  });

  test("a tensor of another dtype than the placeholder's is refused before it is sent", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph: graphOf(placeholder("p", "float32")) });
    await expect(session.run(["p"], { feeds: { p: Tensor.of([1], "int32") } })).rejects.toThrow(
      "p:0 takes float32 and was fed a tensor of int32",
    );
    expect(calls(server, "RunStep")).toEqual([]);
  });

  test("fetches that are all fed are answered without a step", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph: graphOf(placeholder("p", "float32")) });
    const { values } = await session.run(["p"], { feeds: { p: 5 } });
    expect(values.map((value) => value.item())).toEqual([5]);
    expect(calls(server, "RunStep")).toEqual([]);
  });

  test("a session whose signal was aborted before is closed", async () => {
    const server = await serve();
    const session = sessionOn(server, { graph, signal: AbortSignal.abort() });
    await expect(session.run(["c"])).rejects.toMatchObject({ codeName: "FAILED_PRECONDITION" });
    expect(server.calls).toEqual([]);
  });
});
