/**
 * The parts of grpc-js's inside on which Tensordeck relies: transport/grpc/internals/README.md has the list. Without these
 * tests an upgrade that changes it would only be noticed as slowness, or not at all.
 */
import { createHash } from "node:crypto";
import { connect } from "node:http2";
import {
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  http2StreamOf,
  openAnswer,
} from "../../../../../../worker-runtime/engines/portable/transport/grpc/internals/call-stream.js";
import { assembleWhileReceiving } from "../../../../../../worker-runtime/engines/portable/transport/grpc/internals/message-decoder.js";
import { onServerSession } from "../../../../../../worker-runtime/engines/portable/transport/grpc/internals/server-sessions.js";
import {
  WINDOW_BYTES,
  widenCallWindows,
} from "../../../../../../worker-runtime/engines/portable/transport/grpc/internals/server-windows.js";
import { answerUnknownMethodsPlainly } from "../../../../../../worker-runtime/engines/portable/transport/grpc/internals/unknown-methods.js";
import { MessageAssembler } from "../../../../../../worker-runtime/engines/portable/transport/receiving/message-assembler.js";
import { Channel } from "../../../../../../worker-runtime/rpc/channel.js";
import { bufferOfChunks } from "../../../../../../worker-runtime/rpc/chunked-buffer.js";
import {
  isConnectFailure,
  isLostConnection,
  isOwnDeadline,
} from "../../../../../../worker-runtime/rpc/grpc-texts.js";
import { TrackedCredentials } from "../../../../../../worker-runtime/rpc/tracked-credentials.js";
import { Endings } from "../transport-fixture.js";

const endings = new Endings();
afterEach(() => {
  endings.endAll();
  vi.restoreAllMocks();
});

const passBytes = (bytes: Buffer): Buffer => bytes;
/** The first words of a failed check. */
const changed = (file: string): string =>
  `grpc-js is made otherwise than ${file} relies on: see transport/grpc/internals/README.md`;
const INTERNALS = "transport/grpc/internals";

interface Handlers {
  readonly unary?: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => void;
  readonly bidi?: (stream: ServerDuplexStream<Buffer, Buffer>) => void;
}

const echo: Handlers = { unary: (call, answer) => answer(null, call.request) };

/** A server of grpc-js as it is, but for what a test changes of it. @returns its address. */
async function serve(
  { unary, bidi }: Handlers,
  change: (server: Server) => void = () => undefined,
): Promise<string> {
  const server = new Server({
    interceptors: [assembleWhileReceiving],
    "grpc.max_receive_message_length": -1,
  });
  change(server);
  if (unary !== undefined) {
    server.register("/test/Unary", unary, passBytes, passBytes, "unary");
  }
  if (bidi !== undefined) {
    server.register("/test/Bidi", bidi, passBytes, passBytes, "bidi");
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  endings.add(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

function channelTo(address: string): Channel {
  const channel = new Channel(address);
  endings.add(() => channel.close());
  return channel;
}

function call(channel: Channel, request: Buffer, options = {}): Promise<Buffer | ServiceError> {
  return new Promise((resolve) => {
    channel.client.makeUnaryRequest(
      "/test/Unary",
      passBytes,
      passBytes,
      request,
      options,
      (error, response) => resolve(error ?? response ?? Buffer.alloc(0)),
    );
  });
}

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const large = (): Buffer => Buffer.alloc(700_000, "of some length");
/** The same as `large`, in pieces. */
const largeInPieces = (): Buffer => {
  const bytes = large();
  return bufferOfChunks({
    chunks: [bytes.subarray(0, 5), bytes.subarray(5, 400_000), bytes.subarray(400_000)],
    byteLength: bytes.byteLength,
  });
};

test("a server's HTTP/2 servers are made with its commonServerOptions", async () => {
  const session = connect(`http://${await serve(echo, widenCallWindows)}`);
  endings.add(() => session.destroy());
  const window = await new Promise((resolve) => {
    session.once("remoteSettings", ({ initialWindowSize }) => resolve(initialWindowSize));
  });
  expect(window, changed(`${INTERNALS}/server-windows.ts`)).toBe(WINDOW_BYTES);
});

test("a server sets its HTTP/2 servers up in _setupHandlers", async () => {
  const sessions: object[] = [];
  const address = await serve(echo, (server) => onServerSession(server, (session) => sessions.push(session)));
  await call(channelTo(address), Buffer.from("x"));
  expect(sessions, changed(`${INTERNALS}/server-sessions.ts`)).toHaveLength(1);
});

test("a server answers a method that it does not have by _respondWithError", async () => {
  const answer = await call(channelTo(await serve({}, answerUnknownMethodsPlainly)), Buffer.from("x"));
  expect(answer, changed(`${INTERNALS}/unknown-methods.ts`)).toMatchObject({ code: 12, details: "" });
});

test("a server's calls read their data by the decoder that they were given", async () => {
  const write = vi.spyOn(MessageAssembler.prototype, "write");
  const answer = await call(channelTo(await serve(echo)), large());
  expect(write.mock.calls.length, changed(`${INTERNALS}/message-decoder.ts`)).toBeGreaterThan(0);
  expect(hash(answer as Buffer)).toBe(hash(large()));
});

describe("a server's call has its HTTP/2 stream inside", () => {
  test("a unary one, to which an answer can be written, and its end sent", async () => {
    const address = await serve({
      unary: (incoming) => {
        const answer = openAnswer(incoming, 3);
        answer?.stream.write(Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]));
        answer?.end();
      },
    });
    const deadline = Date.now() + 10_000;
    const answer = await call(channelTo(address), Buffer.from("x"), { deadline });
    expect(answer, changed(`${INTERNALS}/call-stream.ts`)).toEqual(Buffer.from([1, 2, 3]));
  });

  test("one of a stream", async () => {
    const found = new Promise((resolve) => {
      const bidi = (stream: ServerDuplexStream<Buffer, Buffer>): void => {
        resolve(http2StreamOf(stream));
        stream.end();
      };
      serve({ bidi }).then((address) => {
        const stream = channelTo(address).client.makeBidiStreamRequest(
          "/test/Bidi",
          passBytes,
          passBytes,
          new Metadata(),
        );
        stream.on("error", () => undefined).resume();
      }, resolve);
    });
    expect(await found, changed(`${INTERNALS}/call-stream.ts`)).toMatchObject({ rstCode: expect.anything() });
  });
});

describe("messages are framed with length and copy alone", () => {
  test("a client's", async () => {
    const answer = await call(channelTo(await serve(echo)), largeInPieces());
    expect(hash(answer as Buffer), changed("rpc/chunked-buffer.ts")).toBe(hash(large()));
  });

  test("a server's", async () => {
    const address = await serve({ unary: (_call, answer) => answer(null, largeInPieces()) });
    const answer = await call(channelTo(address), Buffer.from("x"));
    expect(hash(answer as Buffer), changed("rpc/chunked-buffer.ts")).toBe(hash(large()));
  });
});

describe("the connector of a channel's credentials is given each socket", () => {
  test("so that one that is only being made ends with its client", async () => {
    const { address, open } = await endings.silentPort();
    const channel = channelTo(address);
    const failed = call(channel, Buffer.from("x"));
    await expect.poll(open).toBe(1);
    channel.reconnect();
    await expect.poll(open, { message: changed("rpc/tracked-credentials.ts") }).toBe(0);
    channel.close();
    expect(await failed).toBeInstanceOf(Error);
  });

  test("and a channel asks its credentials nothing else", () => {
    const own = Object.getOwnPropertyNames(TrackedCredentials.prototype).filter((name) =>
      name.startsWith("_"),
    );
    const theirs = Object.getOwnPropertyNames(Object.getPrototypeOf(credentials.createInsecure())).filter(
      (name) => name.startsWith("_"),
    );
    expect(own.sort(), changed("rpc/tracked-credentials.ts")).toEqual(theirs.sort());
  });
});

describe("the texts of errors that no server sent", () => {
  const detailsOf = (answer: Buffer | ServiceError): string =>
    Buffer.isBuffer(answer) ? "" : answer.details;

  test("no connection", async () => {
    const address = await serve(echo);
    endings.endAll();
    const answer = await call(channelTo(address), Buffer.from("x"));
    expect(detailsOf(answer), changed("rpc/grpc-texts.ts")).toSatisfy(isConnectFailure);
  });

  test("a connection that was lost", async () => {
    const received = vi.fn();
    const tcp = await endings.wire(await serve({ unary: received }));
    const answer = call(channelTo(tcp.address), Buffer.from("x"));
    await expect.poll(() => received.mock.calls.length).toBe(1);
    tcp.cut();
    expect(detailsOf(await answer), changed("rpc/grpc-texts.ts")).toSatisfy(isLostConnection);
  });

  test("a deadline", async () => {
    const channel = channelTo(await serve({ unary: () => undefined }));
    const answer = await call(channel, Buffer.from("x"), { deadline: Date.now() + 50 });
    expect(detailsOf(answer), changed("rpc/grpc-texts.ts")).toSatisfy(isOwnDeadline);
  });
});
