import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "../../../../../../main/peers/identity/certificate.js";
import * as wire from "../../../../../../protos/generated/tensorflow/worker.js";
import { encodePreamble } from "../../../../../../worker-runtime/engines/portable/transport/bulk/bulk-coding.js";
import { PeerTrust } from "../../../../../../worker-runtime/engines/portable/transport/sockets/peer-trust.js";
import type { WorkerInterface } from "../../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../../worker-runtime/protocol/tensor.js";
import { Endings, sameBytes, type Wire } from "../transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

const FLOATS = 2 * 1024 * 1024;
/** The bulk connection is the second that a caller makes. */
const BULK = 1;

/** Answers with a tensor whose numbers begin with that of the rendezvous key. */
async function answer({ rendezvousKey }: wire.RecvTensorRequest): Promise<wire.RecvTensorResponse> {
  const response = wire.RecvTensorResponse.create();
  response.tensor = tensorToProto(Tensor.of(numbersFrom(Number(rendezvousKey))));
  return response;
}

const sender: Partial<WorkerInterface> = { recvTensor: answer };

function numbersFrom(first: number): Float32Array {
  return new Float32Array(FLOATS).map((_, index) => first + (index % 1021));
}

/** Receives until the bulk connection has brought something: it may take a moment until the server knows it. */
async function receiveInBulk(client: WorkerInterface, tcp: Wire): Promise<void> {
  await expect
    .poll(async () => {
      expect(await receive(client, 1)).toBe(true);
      return tcp.bytesOf(BULK);
    })
    .toBeGreaterThan(FLOATS * 4);
}

async function receive(client: WorkerInterface, first: number, signal?: AbortSignal): Promise<boolean> {
  const request = wire.RecvTensorRequest.fromPartial({ stepId: 1n, rendezvousKey: String(first) });
  const { tensor } = await client.recvTensor(request, signal && { signal });
  return sameBytes(tensor, numbersFrom(first));
}

describe("large answers", () => {
  test("take a connection of their own once there was one, many at a time", async () => {
    const { address, endpoint } = await endings.serve({ handlers: sender });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address);
    await client.getStatus({});
    expect(tcp.made()).toBe(1);
    await receiveInBulk(client, tcp);
    const [before, onStream] = [tcp.bytesOf(BULK), tcp.bytesOf(0)];
    expect(await Promise.all([3, 4, 5].map((first) => receive(client, first)))).toEqual([true, true, true]);
    expect(tcp.bytesOf(BULK) - before).toBeGreaterThan(3 * FLOATS * 4);
    expect(tcp.bytesOf(0) - onStream).toBeLessThan(FLOATS);
    expect(tcp.made()).toBe(2);
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("that are cancelled on their way do not disturb others", async () => {
    let caller = new AbortController();
    const { address, endpoint } = await endings.serve({
      handlers: {
        recvTensor: (request) => {
          if (request.rendezvousKey === "2") {
            // When the first parts were written, and before this process can read them.
            setImmediate(() => caller.abort());
          }
          return answer(request);
        },
      },
    });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address);
    await receiveInBulk(client, tcp);
    for (let round = 0; round < 5; round += 1) {
      caller = new AbortController();
      const cancelled = receive(client, 2, caller.signal);
      const other = receive(client, 3);
      await expect(cancelled).rejects.toMatchObject({ code: StatusCode.CANCELLED });
      expect(await other).toBe(true);
    }
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("fail where their connection breaks, and the next ones come", async () => {
    const { address, endpoint } = await endings.serve({ handlers: sender });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address);
    await receiveInBulk(client, tcp);
    const broken = [receive(client, 2), receive(client, 3)];
    tcp.cut(BULK);
    for (const call of broken) {
      await expect(call).rejects.toMatchObject({
        code: StatusCode.UNAVAILABLE,
        message: expect.stringContaining("was lost during RecvTensor"),
      });
    }
    await expect.poll(() => receive(client, 3).catch(String)).toBe(true);
    await expect.poll(() => endpoint.calls).toBe(0);
  });

  test("come so under TLS, too", async () => {
    const { certPem, keyPem } = await makeCertificate();
    const trust = new PeerTrust(certPem, keyPem, certPem);
    const { address } = await endings.serve({ handlers: sender, trust });
    const tcp = await endings.wire(address);
    await receiveInBulk(endings.connect(tcp.address, { trust }), tcp);
  });

  test("come on the stream where the connection cannot be made", async () => {
    const { address } = await endings.serve({ handlers: sender });
    const tcp = await endings.wire(address);
    const client = endings.connect(tcp.address);
    await client.getStatus({});
    tcp.stopTaking();
    expect([await receive(client, 1), await receive(client, 2)]).toEqual([true, true]);
    expect(tcp.made()).toBe(1);
  });

  test("a connection with a key that nobody gave is ended", async () => {
    const { address, client } = await endings.serve({ handlers: sender });
    const socket = connect(Number(address.split(":")[1]), "127.0.0.1");
    endings.add(() => socket.destroy());
    // In two pieces, as the network may bring it.
    const preamble = encodePreamble(Buffer.alloc(16, 7));
    socket.write(preamble.subarray(0, 5));
    socket.write(preamble.subarray(5));
    socket.resume();
    await once(socket, "close");
    expect(await receive(client, 1)).toBe(true);
  });
});
