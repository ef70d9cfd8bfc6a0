/** Lengths that a peer states and does not mean, on every way that a message can come. */
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, createServer } from "node:http2";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type OnReadOpts,
  type Socket,
} from "node:net";
import {
  type ClientDuplexStream,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
} from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { StreamFrame } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import {
  BULK_BYTES,
  BULK_KEY_HEADER,
  encodePartHead,
} from "../../../../../worker-runtime/engines/portable/transport/bulk/bulk-coding.js";
import { MAX_MESSAGE_BYTES } from "../../../../../worker-runtime/engines/portable/transport/receiving/message-limits.js";
import { StreamCaller } from "../../../../../worker-runtime/engines/portable/transport/stream/stream-caller.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Channel } from "../../../../../worker-runtime/rpc/channel.js";
import { messagePrefix } from "../../../../../worker-runtime/rpc/message-prefix.js";
import { type WorkerClient, workerClient } from "../../../../../worker-runtime/rpc/worker-client.js";
import { Endings } from "./transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

/** The largest number that a length can be. */
const HOSTILE = 2 ** 32 - 1;
/** One that is within the limit, and that there is memory for. */
const LARGE = 2 ** 29;
/** Lengths that are stated in vain take less. */
const MAX_TAKEN_BYTES = LARGE / 2;
const tooLarge = {
  code: StatusCode.RESOURCE_EXHAUSTED,
  message: `Received message larger than max (${HOSTILE} vs ${MAX_MESSAGE_BYTES})`,
};
const none = new Uint8Array(0);
const passBytes = (bytes: Buffer): Buffer => bytes;
const frame = (callId: number, content: StreamFrame["content"]): Buffer =>
  Buffer.from(StreamFrame.encode({ callId, content }).finish());

/** The growth of ArrayBuffers by some work. */
async function takenBy(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  await work();
  return process.memoryUsage().arrayBuffers - before;
}

/** A call of plain gRPC that states a length and sends a little. @returns its grpc-status, once it has ended. */
function stateLength(session: ClientHttp2Session, length: number) {
  const call = session.request({
    ":method": "POST",
    ":path": "/tensorflow.WorkerService/GetStatus",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const ended = new Promise((resolve) => {
    call.on("response", (headers) => headers["grpc-status"] && resolve(headers["grpc-status"]));
    call.on("trailers", (headers) => resolve(headers["grpc-status"]));
  });
  call.on("error", () => undefined).resume();
  call.write(messagePrefix(length));
  const sent = new Promise((resolve) => call.write(Buffer.alloc(1000), resolve));
  return { sent, ended };
}

describe("of a request", () => {
  test("in a unary call", async () => {
    const { address, client } = await endings.serve({ unaryOnly: true });
    const session = connectHttp2(`http://${address}`);
    endings.add(() => session.destroy());
    expect(await stateLength(session, HOSTILE).ended).toBe(String(StatusCode.RESOURCE_EXHAUSTED));
    const taken = await takenBy(async () => {
      await Promise.all(Array.from({ length: 8 }, () => stateLength(session, LARGE).sent));
      await client.getStatus({});
    });
    expect(taken).toBeLessThan(MAX_TAKEN_BYTES);
  });

  test("on a stream", async () => {
    const { address, client } = await endings.serve();
    const channel = new Channel(address);
    endings.add(() => channel.close());
    const stream: ClientDuplexStream<Buffer, Buffer> = channel.client.makeBidiStreamRequest(
      "/tensordeck.WorkerStream/Open",
      passBytes,
      passBytes,
      new Metadata(),
    );
    stream.on("error", () => undefined);
    const state = (callId: number, size: number): void => {
      const payload = { size, alignedOffset: 0, data: none };
      stream.write(frame(callId, { $case: "request", value: { method: "GetStatus", payload } }));
      stream.write(frame(callId, { $case: "part", value: new Uint8Array(1000) }));
    };
    state(1, HOSTILE);
    const [answer] = (await once(stream, "data")) as [Buffer];
    expect(StreamFrame.decode(answer)).toMatchObject({
      callId: 1,
      content: { $case: "failure", value: tooLarge },
    });
    const taken = await takenBy(async () => {
      state(2, LARGE);
      // This call comes after it, on the same stream.
      const empty = { size: 0, alignedOffset: 0, data: none };
      stream.write(frame(3, { $case: "request", value: { method: "Foo", payload: empty } }));
      await once(stream, "data");
    });
    expect(taken).toBeLessThan(MAX_TAKEN_BYTES);
    await client.getStatus({});
    stream.cancel();
  });
});

/** A server of streams that a test answers for, and bulk connections that it writes to. */
class HostileTask {
  readonly requests: number[] = [];
  #send: ((bytes: Buffer) => void) | undefined;
  #bulk: Socket | undefined;

  async start(): Promise<WorkerClient> {
    const server = new Server();
    server.register(
      "/tensordeck.WorkerStream/Open",
      (stream: ServerDuplexStream<Buffer, Buffer>) => {
        const headers = new Metadata();
        headers.set(BULK_KEY_HEADER, Buffer.alloc(16, 1));
        stream.sendMetadata(headers);
        stream.on("error", () => undefined);
        stream.on("data", (bytes: Buffer) => this.requests.push(StreamFrame.decode(bytes).callId));
        this.#send = (bytes) => stream.write(bytes);
      },
      passBytes,
      passBytes,
      "bidi",
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    endings.add(() => server.forceShutdown());
    const bulkServer = createTcpServer((socket) => {
      this.#bulk = socket.on("error", () => undefined).resume();
    });
    endings.add(() => {
      bulkServer.close();
      this.#bulk?.destroy();
    });
    bulkServer.listen(0, "127.0.0.1");
    await once(bulkServer, "listening");
    const bulkPort = (bulkServer.address() as AddressInfo).port;
    const channel = new Channel(`127.0.0.1:${port}`);
    const dialBulk = (onread: OnReadOpts): Socket => connect({ port: bulkPort, host: "127.0.0.1", onread });
    const caller = new StreamCaller(channel, { dialBulk });
    endings.add(() => {
      channel.close();
      caller.close();
    });
    return workerClient(channel, caller);
  }

  /** The id of a call, once it has come. */
  async call(nth: number): Promise<number> {
    await expect.poll(() => this.requests.length).toBeGreaterThan(nth);
    return this.requests[nth] ?? 0;
  }

  begin(callId: number, size: number, data = none): void {
    const payload = { size, alignedOffset: 0, data };
    this.#send?.(frame(callId, { $case: "response", value: { payload } }));
  }

  /** Answers a call with a large message of nothing but empty fields, which makes the caller connect for the next ones. */
  async connectBulk(callId: number): Promise<Socket> {
    // Field 15, of no bytes: GetStatusResponse passes over it.
    const fields = Buffer.alloc(2 * BULK_BYTES, Uint8Array.of(0x7a, 0));
    this.begin(callId, fields.byteLength, fields);
    await expect.poll(() => this.#bulk).toBeDefined();
    return this.#bulk as Socket;
  }

  answer(callId: number): void {
    this.begin(callId, 0);
  }
}

describe("of an answer", () => {
  test("on a stream: the call fails alone, or waits and takes nothing", async () => {
    const task = new HostileTask();
    const client = await task.start();
    const calls = [client.getStatus({}), client.getStatus({}), client.getStatus({})];
    task.begin(await task.call(0), HOSTILE);
    await expect(calls[0]).rejects.toMatchObject(tooLarge);
    const last = await task.call(2);
    const taken = await takenBy(async () => {
      task.begin(await task.call(1), LARGE, new Uint8Array(1000));
      task.answer(last);
      await calls[2];
    });
    expect(taken).toBeLessThan(MAX_TAKEN_BYTES);
    endings.endAll();
    await expect(calls[1]).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });

  test("on a bulk connection: the call fails alone, or waits and takes nothing", async () => {
    const task = new HostileTask();
    const client = await task.start();
    const first = client.getStatus({});
    const bulk = await task.connectBulk(await task.call(0));
    await first;
    const calls = [client.getStatus({}), client.getStatus({}), client.getStatus({})];
    const head = (callId: number, size: number): Buffer =>
      encodePartHead({ callId, size, alignedOffset: 0, partBytes: 1000 });
    bulk.write(Buffer.concat([head(await task.call(1), HOSTILE), Buffer.alloc(1000)]));
    await expect(calls[0]).rejects.toMatchObject(tooLarge);
    const last = await task.call(3);
    const taken = await takenBy(async () => {
      bulk.write(Buffer.concat([head(await task.call(2), LARGE), Buffer.alloc(1000)]));
      bulk.write(Buffer.concat([head(last, 1000), Buffer.alloc(1000, Uint8Array.of(0x7a, 0))]));
      await calls[2];
    });
    expect(taken).toBeLessThan(MAX_TAKEN_BYTES);
    bulk.destroy();
    await expect(calls[1]).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });

  test("to a unary call", async () => {
    const server = createServer();
    server.on("stream", (stream, headers) => {
      const isUnary = headers[":path"]?.startsWith("/tensorflow.") === true;
      const answer = { ":status": 200, "content-type": "application/grpc" };
      stream.on("error", () => undefined);
      if (isUnary) {
        stream.respond(answer);
        stream.write(messagePrefix(HOSTILE));
      } else {
        stream.respond({ ...answer, "grpc-status": StatusCode.UNIMPLEMENTED }, { endStream: true });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    endings.add(() => server.close());
    const client = endings.connect(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(client.getStatus({})).rejects.toMatchObject(tooLarge);
  });
});
