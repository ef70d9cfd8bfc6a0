import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  decodePng,
  isPng,
  parsePng,
} from "../../../../../../worker-runtime/engines/portable/kernels/image/png-decoder.js";
import { encodePng } from "../../../../../../worker-runtime/engines/portable/kernels/image/png-encoder.js";

describe("PNG files", () => {
  test("what is written is read again", () => {
    for (const bits of [8, 16] as const) {
      for (const channels of [1, 2, 3, 4]) {
        const pixels = Uint16Array.from({ length: 5 * 7 * channels }, (_, i) => (i * 9973) % 2 ** bits);
        const bytes = encodePng({ width: 5, height: 7, channels, bits, pixels }, -1);
        expect(isPng(bytes)).toBe(true);
        const file = parsePng(bytes);
        expect(file && decodePng(file)).toEqual({ width: 5, height: 7, channels, bits, pixels });
      }
    }
  });

  test("a file that is cut off or changed anywhere is refused", () => {
    const whole = encodePng({ width: 2, height: 2, channels: 3, bits: 8, pixels: new Uint8Array(12) }, 9);
    for (let length = 8; length < whole.length; length += 1) {
      expect(parsePng(whole.subarray(0, length)), `${length} bytes`).toBeUndefined();
    }
    for (let at = 8; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      const file = parsePng(changed);
      expect(file && decodePng(file), `byte ${at}`).toBeUndefined();
    }
  });

  test("data that unpacks to more than the image has is not unpacked", () => {
    const file = parsePng(
      encodePng({ width: 2, height: 2, channels: 1, bits: 8, pixels: new Uint8Array(4) }, 9),
    );
    expect(file).toBeDefined();
    const bomb = deflateSync(Buffer.alloc(2 ** 24));
    expect(file && decodePng({ ...file, packed: bomb })).toBeUndefined();
  });
});
