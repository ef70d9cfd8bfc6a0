import { once } from "node:events";
import { type ClientDuplexStream, Metadata } from "@grpc/grpc-js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { StreamFrame } from "../../../../../../protos/generated/tensordeck/worker_stream.js";
import * as wire from "../../../../../../protos/generated/tensorflow/worker.js";
import { StreamCaller } from "../../../../../../worker-runtime/engines/portable/transport/stream/stream-caller.js";
import type { WorkerInterface } from "../../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import {
  asTensorFlowError,
  PayloadKey,
  StatusCode,
} from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../../worker-runtime/protocol/tensor.js";
import { Channel } from "../../../../../../worker-runtime/rpc/channel.js";
import { workerClient } from "../../../../../../worker-runtime/rpc/worker-client.js";
import { peerMissing, repositoryRoot, spawnPeer, tensorflowPython } from "../../../../../support/peers.js";
import { keyOf, passThrough, task0, task1 } from "../../worker/worker-fixture.js";
import { Endings, SHORT_SILENCE, sameBytes } from "../transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

const LARGE_BYTES = 48 * 1024 * 1024;
const largeData = new Float32Array(LARGE_BYTES / 4).map((_, index) => index % 1021);

/** An answer of GetStatus, with its frames, is longer. */
const MIN_STATUS_BYTES = 100;

const recvRequest = (rendezvousKey: string): wire.RecvTensorRequest =>
  wire.RecvTensorRequest.fromPartial({ stepId: 1n, rendezvousKey });

/** Answers every RecvTensor with a large tensor. */
const largeSender: Partial<WorkerInterface> = {
  recvTensor: async () => {
    const response = wire.RecvTensorResponse.create();
    response.tensor = tensorToProto(Tensor.of(largeData));
    return response;
  },
};

describe("a worker's calls on a stream", () => {
  test("answer", async () => {
    const { client, worker, endpoint } = await endings.serve();
    const answers = await Promise.all([client.getStatus({}), client.getStatus({}), client.getStatus({})]);
    for (const { deviceAttributes } of answers) {
      expect(deviceAttributes.map(({ incarnation }) => incarnation)).toEqual(
        worker.devices().map(({ incarnation }) => incarnation),
      );
    }
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("fail with code, text and payloads", async () => {
    const { client, worker } = await endings.serve();
    const stale = keyOf(worker, task0, task1, "ü\n%").replace(/;[0-9a-f]{16};/, ";000000000000007b;");
    await expect(client.recvTensor(recvRequest(stale))).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringContaining("a different device incarnation: 123 vs."),
      payloads: new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, expect.anything()]]),
    });
  });

  test("carry large tensors both ways", async () => {
    const { client, worker } = await endings.serve();
    expect(sameBytes(await passThrough(client, worker, largeData), largeData)).toBe(true);
  });

  test("are not held up by a large one, whose tensor is aligned where it arrives", async () => {
    const { client } = await endings.serve({ handlers: largeSender });
    await client.getStatus({});
    const order: string[] = [];
    const large = client.recvTensor(recvRequest("x")).then(({ tensor }) => {
      order.push("RecvTensor");
      return tensor;
    });
    await client.getStatus({}).then(() => order.push("GetStatus"));
    const tensor = await large;
    expect(order).toEqual(["GetStatus", "RecvTensor"]);
    expect((tensor?.tensorContent.byteOffset ?? 1) % 4).toBe(0);
    expect(sameBytes(tensor, largeData)).toBe(true);
  });

  test("that are cancelled leave nothing", async () => {
    const { client, worker, endpoint } = await endings.serve();
    const caller = new AbortController();
    const waiting = client.recvTensor(recvRequest(keyOf(worker, task0, task1, "a")), {
      signal: caller.signal,
    });
    await expect.poll(() => endpoint.calls).toBe(1);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    await expect.poll(() => endpoint.calls).toBe(0);
    expect(worker.heldSteps).toBe(0);
    await expect(client.getStatus({}, { signal: caller.signal })).rejects.toMatchObject({
      code: StatusCode.CANCELLED,
    });
    await client.getStatus({});
  });

  test("that are cancelled while the answer comes do not disturb others", async () => {
    const { client, endpoint } = await endings.serve({ handlers: largeSender });
    await client.getStatus({});
    const caller = new AbortController();
    const cancelled = client.recvTensor(recvRequest("x"), { signal: caller.signal });
    const other = client.recvTensor(recvRequest("y"));
    // Its answer comes between the parts of the large ones.
    await client.getStatus({});
    caller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(sameBytes((await other).tensor, largeData)).toBe(true);
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("fail when the connection breaks, are not repeated, and the next one connects again", async () => {
    let received = 0;
    const served = await endings.serve({
      handlers: {
        recvTensor: (_request, { signal } = {}) => {
          received += 1;
          return new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
          });
        },
      },
    });
    const tcp = await endings.wire(served.address);
    const client = endings.connect(tcp.address);
    const broken = [client.recvTensor(recvRequest("a")), client.recvTensor(recvRequest("b"))];
    await expect.poll(() => received).toBe(2);
    tcp.cut();
    for (const call of broken) {
      await expect(call).rejects.toMatchObject({
        code: StatusCode.UNAVAILABLE,
        message: expect.stringContaining("was lost during RecvTensor"),
      });
    }
    await expect.poll(() => served.endpoint.calls).toBe(0);
    await expect.poll(() => client.getStatus({}).then(() => "answered", String)).toBe("answered");
    expect(received).toBe(2);
  });

  test("fail when the server ends", async () => {
    const { client, worker, endpoint } = await endings.serve();
    const waiting = client.recvTensor(recvRequest(keyOf(worker, task0, task1, "a")));
    await expect.poll(() => endpoint.calls).toBe(1);
    endpoint.close();
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });

  test("end with their deadline, and the worker hears of it", async () => {
    const { client, endpoint, address } = await endings.serve({
      handlers: { getStatus: (_request, _options) => new Promise(() => undefined) },
    });
    await expect(client.getStatus({}, { deadlineMillis: 1000 })).rejects.toMatchObject({
      code: StatusCode.DEADLINE_EXCEEDED,
      message: expect.stringContaining(`${address} did not answer GetStatus within its deadline`),
    });
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("end with their deadline where nobody answers at all", async () => {
    const { address } = await endings.silentPort();
    const client = endings.connect(address);
    await expect(client.getStatus({}, { deadlineMillis: 30 })).rejects.toMatchObject({
      code: StatusCode.DEADLINE_EXCEEDED,
    });
  });

  test("fail at once where nothing listens, and after the transport was closed", async () => {
    const { endpoint, client, address } = await endings.serve();
    endpoint.close();
    await expect(client.getStatus({})).rejects.toMatchObject({
      code: StatusCode.UNAVAILABLE,
      message: expect.stringContaining(`Cannot reach ${address}`),
    });
    endings.endAll();
    await expect(client.getStatus({})).rejects.toMatchObject({
      code: StatusCode.UNAVAILABLE,
      message: expect.stringContaining("is closed"),
    });
  });

  test("are refused beyond the limits, alone", async () => {
    const { client, worker, endpoint } = await endings.serve({
      limits: { maxMessageBytes: 1_000_000, maxCalls: 1 },
    });
    const caller = new AbortController();
    await expect(client.recvTensor(recvRequest("x".repeat(3_000_000)))).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
    });
    const waiting = client.recvTensor(recvRequest(keyOf(worker, task0, task1, "a")), {
      signal: caller.signal,
    });
    await expect.poll(() => endpoint.calls).toBe(1);
    await expect(client.getStatus({})).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
    caller.abort();
    await expect(waiting).rejects.toBeDefined();
    await expect.poll(() => client.getStatus({}).then(() => "answered", String)).toBe("answered");
  });
});

describe("a stream of frames that make no sense", () => {
  const frame = (content: StreamFrame["content"]): Uint8Array =>
    StreamFrame.encode({ callId: 1, content }).finish();
  const payload = { size: 10, alignedOffset: 0, data: new Uint8Array(0) };
  /** A stream that says whatever a test writes. */
  const openStream = (address: string): ClientDuplexStream<Buffer, Buffer> => {
    const channel = new Channel(address);
    endings.add(() => channel.close());
    const pass = (bytes: Buffer): Buffer => bytes;
    return channel.client.makeBidiStreamRequest("/tensordeck.WorkerStream/Open", pass, pass, new Metadata());
  };
  const request = frame({ $case: "request", value: { method: "GetStatus", payload } });

  test.each([
    ["no protobuf", [Uint8Array.of(0xff, 0xff)]],
    ["a server's", [frame({ $case: "response", value: { payload: undefined } })]],
    ["no payload", [frame({ $case: "request", value: { method: "GetStatus", payload: undefined } })]],
    ["the same call twice", [request, request]],
    ["too many bytes", [request, frame({ $case: "part", value: new Uint8Array(11) })]],
  ])("%s: it ends, and the server goes on", async (_what, frames) => {
    const { client, endpoint, address } = await endings.serve();
    const stream = openStream(address);
    const ended = once(stream, "error");
    stream.resume();
    for (const bytes of frames) {
      stream.write(Buffer.from(bytes));
    }
    stream.on("end", () => undefined);
    await expect(ended.then(([error]) => error)).resolves.toMatchObject({ code: StatusCode.INTERNAL });
    await expect.poll(() => endpoint.calls).toBe(0);
    await client.getStatus({});
  });

  test("unknown methods fail alone; parts and cancels of unknown calls are passed over", async () => {
    const { address } = await endings.serve();
    const stream = openStream(address);
    stream.on("error", () => undefined);
    const empty = { size: 0, alignedOffset: 0, data: new Uint8Array(0) };
    stream.write(Buffer.from(frame({ $case: "part", value: new Uint8Array(5) })));
    stream.write(Buffer.from(frame({ $case: "cancel", value: {} })));
    stream.write(Buffer.from(frame({ $case: "request", value: { method: "Foo", payload: empty } })));
    const [answer] = (await once(stream, "data")) as [Buffer];
    expect(StreamFrame.decode(answer).content).toMatchObject({
      $case: "failure",
      value: { code: StatusCode.UNIMPLEMENTED },
    });
    stream.cancel();
  });
});

describe("a task that knows no streams", () => {
  test("gets unary calls, and is asked for a stream once", async () => {
    const { address, worker } = await endings.serve({ unaryOnly: true });
    const channel = new Channel(address);
    endings.add(() => channel.close());
    const open = vi.spyOn(channel.client, "makeBidiStreamRequest");
    const client = workerClient(channel, new StreamCaller(channel));
    const answers = await Promise.all([client.getStatus({}), client.getStatus({}, { deadlineMillis: 9000 })]);
    expect(answers.map(({ deviceAttributes }) => deviceAttributes.length)).toEqual([1, 1]);
    await expect(client.recvTensor(recvRequest("no key"))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
    });
    expect(worker.heldSteps).toBe(0);
    expect(open).toHaveBeenCalledTimes(1);
  });
});

describe.skipIf(peerMissing("tensorflow"))("TensorFlow's own server", () => {
  test("gets unary calls", async () => {
    const script = `${repositoryRoot}/test/interop/peers/stock_server.py`;
    const server = await spawnPeer(tensorflowPython(), [script], {
      ready: /target \S+ grpc:\/\/(\S+)/,
    });
    const address = /grpc:\/\/(\S+)/.exec(server.output())?.[1] ?? "";
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address, { silence: SHORT_SILENCE });
    await client.getStatus({});
    const { deviceAttributes } = await client.getStatus({});
    const [cpu] = deviceAttributes;
    expect(cpu?.name).toContain("/device:CPU:0");
    // It is asked whether it lives, many times, and neither side ends the connection for it.
    const incarnation = BigInt.asUintN(64, cpu?.incarnation ?? 0n)
      .toString(16)
      .padStart(16, "0");
    const caller = new AbortController();
    const [before, made] = [tcp.answered(), tcp.made()];
    const waiting = client.recvTensor(recvRequest(`${cpu?.name};${incarnation};${cpu?.name};a;0:0`), {
      signal: caller.signal,
    });
    const ended = waiting.then(() => "answered", asTensorFlowError);
    const bytesOfAnswers = SHORT_SILENCE.looksUntilGone * MIN_STATUS_BYTES;
    await expect.poll(() => tcp.answered() - before, { timeout: 30_000 }).toBeGreaterThan(bytesOfAnswers);
    caller.abort();
    expect(await ended).toMatchObject({ code: StatusCode.CANCELLED });
    expect(tcp.made()).toBe(made);
    await server.stop();
  });
});
