import { once } from "node:events";
import { connect } from "node:net";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import * as wire from "../../../../../../protos/generated/tensorflow/worker.js";
import type { ServiceLimits } from "../../../../../../worker-runtime/engines/portable/transport/grpc/call-limits.js";
import { PayloadKey, StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { tensorFromReceived } from "../../../../../../worker-runtime/protocol/tensor.js";
import type { WorkerClient } from "../../../../../../worker-runtime/rpc/worker-client.js";
import { keyOf, passThrough, task0, task1 } from "../../worker/worker-fixture.js";
import { Endings, type Served } from "../transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

/** A worker's service, and a client of it as those of TensorFlow are. */
async function serveWorker(
  limits: Partial<ServiceLimits> = {},
): Promise<Served & { readonly client: WorkerClient }> {
  const served = await endings.serve({ limits, unaryOnly: true });
  return { ...served, client: endings.connectUnary(served.address) };
}

/** One call with any bytes. */
function callRaw(port: number, path: string, bytes: Uint8Array): Promise<Buffer | ServiceError> {
  const client = new Client(`dns:///127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
  });
  endings.add(() => client.close());
  const pass = (message: Buffer): Buffer => message;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, pass, pass, Buffer.from(bytes), (error, response) =>
      resolve(error ?? response ?? Buffer.alloc(0)),
    );
  });
}

const recvRequest = (rendezvousKey: string): wire.RecvTensorRequest =>
  wire.RecvTensorRequest.fromPartial({ stepId: 1n, rendezvousKey });

describe("the gRPC service", () => {
  test("answers", async () => {
    const { client, worker } = await serveWorker();
    const { deviceAttributes } = await client.getStatus({});
    expect(deviceAttributes.map(({ name, incarnation }) => [name, incarnation])).toEqual(
      worker.devices().map(({ name, incarnation }) => [name, incarnation]),
    );
  });

  test("errors carry code, text and payloads", async () => {
    const { client, worker } = await serveWorker();
    const stale = keyOf(worker, task0, task1, "ü\n%").replace(/;[0-9a-f]{16};/, ";000000000000007b;");
    await expect(client.recvTensor(recvRequest(stale))).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringContaining("a different device incarnation: 123 vs."),
      payloads: new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, expect.anything()]]),
    });
    await expect(client.recvTensor(recvRequest("ü\n%20"))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "Invalid  rendezvous key: ü\n%20",
    });
  });

  test("long texts are cut, between characters", async () => {
    const { client } = await serveWorker();
    const error = await client.recvTensor(recvRequest("ü".repeat(3000))).catch((caught: Error) => caught);
    const { message } = error as Error;
    expect(message).toMatch(/^Invalid {2}rendezvous key: ü+ \.\.\. \[truncated\]$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(3072 + 16);
  });

  // TensorFlow's server gives this code and text for every method.
  test.each(["GetStatus", "RunGraph", "RecvTensor", "RegisterGraph"])(
    "a %s that is no protobuf",
    async (method) => {
      const { port, client } = await serveWorker();
      const path = `/tensorflow.WorkerService/${method}`;
      const broken = Uint8Array.of(0x0a, 0xff, 0xff, 0xff);
      expect(await callRaw(port, path, broken)).toMatchObject({
        code: StatusCode.INTERNAL,
        details: "Unable to parse request",
      });
      await client.getStatus({});
    },
  );

  test("methods and services that are not there", async () => {
    const { port } = await serveWorker();
    for (const path of ["/tensorflow.WorkerService/Foo", "/tensorflow.Other/CreateContext"]) {
      expect(await callRaw(port, path, new Uint8Array(0))).toMatchObject({
        code: StatusCode.UNIMPLEMENTED,
        details: "",
      });
    }
    // TensorFlow 2 shows the answer to its user.
    const eager = "/tensorflow.eager.EagerService/CreateContext";
    expect(await callRaw(port, eager, new Uint8Array(0))).toMatchObject({
      code: StatusCode.UNIMPLEMENTED,
      details: expect.stringContaining("Start the task with --engine tensorflow"),
    });
  });

  test("a caller that cancels, and one whose connection breaks, leave nothing", async () => {
    const { client, address, worker, endpoint } = await serveWorker();
    const tcp = await endings.wire(address);
    const caller = new AbortController();
    const cancelled = client.recvTensor(recvRequest(keyOf(worker, task0, task1, "a")), {
      signal: caller.signal,
    });
    const broken = endings
      .connectUnary(tcp.address)
      .recvTensor(recvRequest(keyOf(worker, task0, task1, "b")));
    await expect.poll(() => endpoint.calls).toBe(2);
    caller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    await expect.poll(() => endpoint.calls).toBe(1);
    tcp.cut();
    await expect(broken).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect.poll(() => endpoint.calls).toBe(0);
    expect(worker.heldSteps).toBe(0);
  });

  test("large tensors go in and out unharmed", async () => {
    const { client, worker } = await serveWorker();
    const data = new Float32Array(3_000_001).map((_, index) => index % 1021);
    const tensor = tensorFromReceived(await passThrough(client, worker, data));
    expect(Buffer.from(data.buffer).equals(Buffer.from((tensor.data as Float32Array).slice().buffer))).toBe(
      true,
    );
  });

  test("a caller that vanishes in the middle of a large answer leaves nothing", async () => {
    const { client, address, worker, endpoint } = await serveWorker();
    const maxBytes = 2 ** 20;
    const tcp = await endings.wire(address, maxBytes);
    const receiving = passThrough(endings.connectUnary(tcp.address), worker, new Float32Array(10_000_000));
    await expect.poll(() => tcp.answered()).toBeGreaterThan(maxBytes);
    // The answer waits for its caller, and nobody for the answer.
    await client.getStatus({});
    await expect.poll(() => endpoint.calls).toBe(1);
    tcp.cut();
    await expect(receiving).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("limits refuse what is too much and let the rest through", async () => {
    const { client, worker, endpoint } = await serveWorker({ maxMessageBytes: 100_000, maxCalls: 1 });
    await expect(client.recvTensor(recvRequest("x".repeat(200_000)))).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
    });
    const caller = new AbortController();
    const waiting = client.recvTensor(recvRequest(keyOf(worker, task0, task1, "a")), {
      signal: caller.signal,
    });
    await expect.poll(() => endpoint.calls).toBe(1);
    await expect(client.getStatus({})).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
    caller.abort();
    await expect(waiting).rejects.toBeDefined();
    await expect.poll(() => endpoint.calls).toBe(0);
    await client.getStatus({});
  });

  test("who does not speak HTTP/2 is sent away, and others are served", async () => {
    const { port, client } = await serveWorker();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    await client.getStatus({});
  });
});
