import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import * as wire from "../../../../../protos/generated/tensorflow/worker.js";
import { encodePreamble } from "../../../../../worker-runtime/engines/portable/transport/bulk/bulk-coding.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { Endings, SHORT_SILENCE } from "./transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

const silence = SHORT_SILENCE;
const gone = {
  code: StatusCode.UNAVAILABLE,
  message: expect.stringContaining("was given up: nothing came from there for"),
};
const request = (rendezvousKey = ""): wire.RecvTensorRequest =>
  wire.RecvTensorRequest.fromPartial({ stepId: 1n, rendezvousKey });

/** A RecvTensor that is answered when a test says so, and GetStatus, which the watch asks. */
function slowSender() {
  const answers: (() => void)[] = [];
  let asked = 0;
  const handlers: Partial<WorkerInterface> = {
    getStatus: async () => {
      asked += 1;
      return { deviceAttributes: [] };
    },
    recvTensor: (_request, { signal } = {}) =>
      new Promise((resolve, reject) => {
        answers.push(() => resolve(wire.RecvTensorResponse.create()));
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  return { handlers, asked: () => asked, received: () => answers.length, answer: () => answers[0]?.() };
}

test("a peer that takes connections and says nothing: each call fails, and no connection stays", async () => {
  const { address, open } = await endings.silentPort();
  const client = endings.connect(address, { silence });
  for (let call = 0; call < 3; call += 1) {
    await expect(client.getStatus({})).rejects.toMatchObject(gone);
    await expect.poll(open).toBe(0);
  }
});

describe.each([
  { calls: "streamed calls", unaryOnly: false },
  { calls: "unary calls", unaryOnly: true },
])("with $calls", ({ unaryOnly }) => {
  test("a link that goes dead ends what is awaited, on both sides, and the next call takes another one", async () => {
    const { handlers, received } = slowSender();
    const { address, endpoint } = await endings.serve({ unaryOnly, handlers, silence });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address, { silence });
    const lost = client.recvTensor(request());
    await expect.poll(received).toBe(1);
    tcp.freeze();
    await expect(lost).rejects.toMatchObject(gone);
    await expect.poll(() => endpoint.calls).toBe(0);
    await client.getStatus({});
    expect(tcp.made()).toBe(2);
    // It was not sent again.
    expect(received()).toBe(1);
  });

  test("an answer may take as long as it takes while the peer says that it lives", async () => {
    const { handlers, received, asked, answer } = slowSender();
    const { address } = await endings.serve({ unaryOnly, handlers, silence });
    const tcp = await endings.wire(address);
    const waiting = endings.connect(tcp.address, { silence }).recvTensor(request());
    await expect.poll(received).toBe(1);
    // There are two looks at least between one question and the next.
    await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(silence.looksUntilGone);
    answer();
    await waiting;
    expect(tcp.made()).toBe(1);
  });
});

describe("a connection for large answers that goes dead alone", () => {
  const large = async (): Promise<wire.RecvTensorResponse> => {
    const response = wire.RecvTensorResponse.create();
    // More than the buffers of the way there hold.
    response.tensor = tensorToProto(Tensor.of(new Float32Array(16 * 1024 * 1024)));
    return response;
  };
  const never = (): Promise<wire.RecvTensorResponse> => new Promise(() => undefined);

  test.each([
    ["in the middle of one", large],
    ["while one is awaited", never],
  ])("%s: calls fail, and the next ones come", async (_when, answer) => {
    let isDead = false;
    const { address, endpoint } = await endings.serve({
      silence,
      handlers: { recvTensor: () => (isDead ? answer() : large()) },
    });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address, { silence });
    await expect
      .poll(async () => {
        await client.recvTensor(request());
        return tcp.bytesOf(1);
      })
      .toBeGreaterThan(0);
    isDead = true;
    tcp.freeze(1);
    await expect(client.recvTensor(request())).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect.poll(() => endpoint.calls).toBe(0);
    isDead = false;
    await expect.poll(() => client.recvTensor(request()).then(() => "received", String)).toBe("received");
  });
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["half of a key", encodePreamble(Buffer.alloc(16)).subarray(0, 12)],
  ["that it speaks HTTP/2", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
])("a server closes a connection on which a client says %s and no more", async (_what, bytes) => {
  const { port, client } = await endings.serve({ silence });
  const socket = connect(port, "127.0.0.1");
  endings.add(() => socket.destroy());
  socket.on("error", () => undefined).resume();
  socket.write(bytes);
  await once(socket, "close");
  await client.getStatus({});
});
