import { describe, expect, test } from "vitest";
import {
  encodePartHead,
  encodePreamble,
  readPreamble,
} from "../../../../../../worker-runtime/engines/portable/transport/bulk/bulk-coding.js";
import { PartReader } from "../../../../../../worker-runtime/engines/portable/transport/bulk/part-reader.js";
import { IncomingPayload } from "../../../../../../worker-runtime/engines/portable/transport/stream/incoming-payload.js";
import fc from "../../../../../support/seeded-check.js";

const MAX_BYTES = 1_000_000;

/** Payloads cut into parts that take turns, as a sender would write them. */
function written(payloads: readonly Uint8Array[], partBytes: number): Buffer {
  const pieces: Uint8Array[] = [];
  for (let at = 0; payloads.some(({ byteLength }) => at < byteLength); at += partBytes) {
    for (const [callId, payload] of payloads.entries()) {
      const part = payload.subarray(at, at + partBytes);
      if (part.byteLength > 0) {
        const size = at === 0 ? payload.byteLength : 0;
        pieces.push(encodePartHead({ callId, size, alignedOffset: 0, partBytes: part.byteLength }), part);
      }
    }
  }
  return Buffer.concat(pieces);
}

/** Takes payloads of all calls but those that nobody waits for. */
class Collector {
  readonly complete = new Map<number, Buffer>();
  readonly #begun = new Map<number, IncomingPayload>();
  readonly #unwanted: ReadonlySet<number>;

  constructor(unwanted: readonly number[] = []) {
    this.#unwanted = new Set(unwanted);
  }

  begin({ callId, size, alignedOffset }: { callId: number; size: number; alignedOffset: number }) {
    if (this.#unwanted.has(callId)) {
      return undefined;
    }
    const payload =
      this.#begun.get(callId) ??
      new IncomingPayload({ size, alignedOffset, data: new Uint8Array(0) }, MAX_BYTES);
    this.#begun.set(callId, payload);
    return payload;
  }

  refused(): void {
    expect.unreachable();
  }

  end(callId: number): void {
    const bytes = this.#begun.get(callId)?.complete;
    if (bytes !== undefined) {
      this.complete.set(callId, Buffer.from(bytes));
    }
  }
}

/** Gives a reader bytes as the system does: by writing them where it says. */
function feed(reader: PartReader, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) {
    const piece = bytes.subarray(at, at + reader.space.byteLength);
    expect(piece.byteLength).toBeGreaterThan(0);
    reader.space.set(piece);
    reader.wrote(piece.byteLength);
    at += piece.byteLength;
  }
}

describe("parts of answers", () => {
  test("come together however the network cuts them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 900 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 50 })),
        (payloads, partBytes, cuts) => {
          const collector = new Collector();
          const reader = new PartReader(collector);
          const bytes = written(payloads, partBytes);
          for (let at = 0; at < bytes.byteLength; ) {
            const { value: cut } = cuts.next();
            feed(reader, bytes.subarray(at, at + cut));
            at += cut;
          }
          expect([...collector.complete].sort(([a], [b]) => a - b)).toEqual(
            payloads.map((payload, callId) => [callId, Buffer.from(payload)]),
          );
        },
      ),
    );
  });

  test("that nobody wants are passed over", () => {
    const payloads = [Buffer.from("a long answer"), Buffer.from("another one")];
    const collector = new Collector([0]);
    feed(new PartReader(collector), written(payloads, 4));
    expect([...collector.complete]).toEqual([[1, payloads[1]]]);
  });

  test("may not hold more than was announced", () => {
    const reader = new PartReader(new Collector());
    const head = encodePartHead({ callId: 1, size: 4, alignedOffset: 0, partBytes: 10 });
    expect(() => feed(reader, head)).toThrow("More than the 4 bytes");
  });
});

describe("the beginning of a connection", () => {
  const key = Buffer.from("0123456789abcdef");

  test("of bulk says its key, once all of it is there", () => {
    const preamble = encodePreamble(key);
    for (let length = 0; length < preamble.byteLength; length += 1) {
      expect(readPreamble(preamble.subarray(0, length))).toBe("more");
    }
    expect(readPreamble(preamble)).toEqual(key);
  });

  test.each(["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1", "\0TDBULK2", "x"])(
    "%j is another",
    (text) => {
      expect(readPreamble(Buffer.from(text))).toBe("other");
    },
  );
});
