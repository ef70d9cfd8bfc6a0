import { describe, expect, test } from "vitest";
import type { StreamPayload } from "../../../../../../protos/generated/tensordeck/worker_stream.js";
import { RecvTensorResponse } from "../../../../../../protos/generated/tensorflow/worker.js";
import { IncomingPayload } from "../../../../../../worker-runtime/engines/portable/transport/stream/incoming-payload.js";
import { OutgoingPayload } from "../../../../../../worker-runtime/engines/portable/transport/stream/outgoing-payload.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../../worker-runtime/protocol/tensor.js";

const bytesFrom = (from: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (from + index) % 251);

function outgoing(...sizes: number[]): OutgoingPayload {
  let at = 0;
  const chunks = sizes.map((size) => {
    at += size;
    return bytesFrom(at - size, size);
  });
  return new OutgoingPayload({ chunks, byteLength: at });
}

const MAX_BYTES = 1_000_000;
const incomingOf = (payload: StreamPayload): IncomingPayload => new IncomingPayload(payload, MAX_BYTES);

describe("a message on its way out", () => {
  test.each([1, 3, 7, 10, 64, 1000])("is given away whole in pieces of %i bytes", (size) => {
    const payload = outgoing(3, 0, 10, 1, 40, 2);
    const pieces: Uint8Array[] = [];
    while (payload.left > 0) {
      const piece = payload.take(size);
      expect(piece.byteLength).toBe(Math.min(size, payload.left + piece.byteLength));
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytesFrom(0, 56)));
  });

  test("a piece from within a chunk is not copied", () => {
    const chunk = bytesFrom(0, 100);
    const payload = new OutgoingPayload({ chunks: [chunk], byteLength: 100 });
    payload.take(10);
    const piece = payload.take(50);
    expect(piece.buffer).toBe(chunk.buffer);
    expect(piece.byteOffset).toBe(10);
  });

  test("a large chunk is not copied, and small ones around it are joined", () => {
    const large = bytesFrom(7, 100_000);
    const chunks = [bytesFrom(0, 3), bytesFrom(3, 4), large, bytesFrom(100_007, 2), bytesFrom(100_009, 1)];
    const payload = new OutgoingPayload({ chunks, byteLength: 100_010 });
    const pieces: Uint8Array[] = [];
    while (payload.left > 0) {
      pieces.push(payload.take(80_000));
    }
    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([7, 80_000, 20_003]);
    expect(pieces[1]?.buffer).toBe(large.buffer);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytesFrom(0, 100_010)));
  });

  test("an empty one", () => {
    const payload = outgoing();
    expect([payload.byteLength, payload.left, payload.alignedOffset, payload.take(10).byteLength]).toEqual([
      0, 0, 0, 0,
    ]);
  });
});

describe("a message on its way in", () => {
  test("in one frame it is not copied", () => {
    const data = bytesFrom(0, 20);
    expect(incomingOf({ size: 20, alignedOffset: 0, data }).complete).toBe(data);
    const none = incomingOf({ size: 0, alignedOffset: 0, data: new Uint8Array(0) });
    expect(none.complete?.byteLength).toBe(0);
  });

  test("in parts the content of its tensor comes to lie where numbers can be read", () => {
    const response = RecvTensorResponse.create();
    response.tensor = tensorToProto(Tensor.of(new Float64Array(10_000).fill(1.5)));
    const payload = OutgoingPayload.of(RecvTensorResponse, response);
    const { byteLength: size, alignedOffset } = payload;
    const incoming = incomingOf({ size, alignedOffset, data: payload.take(1000) });
    while (payload.left > 0) {
      expect(incoming.complete).toBeUndefined();
      incoming.add(payload.take(1000));
    }
    const { tensor } = RecvTensorResponse.decode(incoming.complete ?? new Uint8Array(0));
    const sent = Buffer.from(response.tensor.tensorContent);
    expect(sent.equals(tensor?.tensorContent ?? new Uint8Array(0))).toBe(true);
    expect(tensor?.tensorContent.byteOffset).toSatisfy((offset: number) => offset % 8 === 0);
  });

  test("more than announced", () => {
    const tooMuch = expect.objectContaining({ code: StatusCode.INTERNAL });
    expect(() => incomingOf({ size: 3, alignedOffset: 0, data: bytesFrom(0, 4) })).toThrow(tooMuch);
    const incoming = incomingOf({ size: 5, alignedOffset: 0, data: bytesFrom(0, 4) });
    expect(() => incoming.add(bytesFrom(0, 2))).toThrow(tooMuch);
  });
});
