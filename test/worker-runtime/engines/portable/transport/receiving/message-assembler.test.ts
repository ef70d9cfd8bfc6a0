import { expect, test } from "vitest";
import { MessageAssembler } from "../../../../../../worker-runtime/engines/portable/transport/receiving/message-assembler.js";
import fc from "../../../../../support/seeded-check.js";

/** A message as gRPC sends it: whether it is compressed, its length, its bytes. */
function framed(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(5 + size, Uint8Array.of(seed, seed + 1, seed + 2));
  bytes.writeUInt8(seed % 2, 0);
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

/** The data as it may come, and the messages that are made of it. */
function assembled(messages: readonly Buffer[], pieceSizes: readonly number[], maxBytes = -1): Buffer[] {
  const assembler = new MessageAssembler(maxBytes);
  const data = Buffer.concat(messages);
  const result: Buffer[] = [];
  for (let at = 0, i = 0; at < data.byteLength; i += 1) {
    const size = pieceSizes[i % pieceSizes.length] ?? 1;
    result.push(...assembler.write(data.subarray(at, at + size)));
    at += size;
  }
  return result;
}

test("messages are what was sent, however it is divided", () => {
  const sizes = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 2 ** 20 - 2, max: 2 ** 20 + 100_000 }) },
  );
  const pieces = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1000, max: 700_000 }));
  fc.assert(
    fc.property(
      fc.array(sizes, { maxLength: 4 }),
      // A large message would take too many of small pieces alone.
      fc.tuple(fc.array(pieces, { maxLength: 5 }), fc.integer({ min: 16_384, max: 200_000 })),
      (messageSizes, [few, large]) => {
        const messages = messageSizes.map(framed);
        const result = assembled(messages, [...few, large]);
        expect(result.map(({ byteLength }) => byteLength)).toEqual(
          messages.map(({ byteLength }) => byteLength),
        );
        expect(result.every((message, i) => message.equals(messages[i] ?? Buffer.alloc(0)))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("a message that is larger than allowed is refused as soon as it says so", () => {
  expect(assembled([framed(100, 1)], [7], 100)).toHaveLength(1);
  expect(() => assembled([framed(101, 1).subarray(0, 5)], [5], 100)).toThrow(
    "Received message larger than max (101 vs 100)",
  );
});

test("the announcement of a large message takes no memory", () => {
  const before = process.memoryUsage().arrayBuffers;
  const announced = Array.from({ length: 64 }, () => {
    const assembler = new MessageAssembler(-1);
    assembler.write(framed(0, 0).fill(0xff, 1));
    assembler.write(Buffer.alloc(1000));
    return assembler;
  });
  expect(announced).toHaveLength(64);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 28);
});
