import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageKernels } from "../../../../../../worker-runtime/engines/portable/kernels/image/index.js";
import { TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { runOnce } from "../kernel-runner.js";

/** Three by two pixels of four colors, with a comment and a transparent color; and as 24 bits each. */
const gif = Buffer.from(
  "474946383961030002008100000a141e28323c46505a646e7821fe030102030021f90401000001002c000000000300020000020444345600003b",
  "hex",
);
const bmp = Buffer.from(
  `424d4e00000000000000360000002800000003000000020000000100180000000000${"00".repeat(20)}${"0102030405060708090000ff".repeat(2)}`,
  "hex",
);

const decoded = (op: string, file: Uint8Array) =>
  runOnce(imageKernels, { op, inputs: [Tensor.of(file, "string")], attrs: {} });

describe("GIF and BMP files", () => {
  test("are read, what is transparent as black", async () => {
    const [first, second] = [
      [10, 20, 30],
      [70, 80, 90],
    ];
    const [image] = await decoded("DecodeGif", gif);
    expect(image?.toArray()).toEqual([
      [
        [first, [0, 0, 0], second],
        [[100, 110, 120], first, [0, 0, 0]],
      ],
    ]);
    const [rows] = await decoded("DecodeBmp", bmp);
    expect(rows?.shape).toEqual([2, 3, 3]);
  });

  test("changed anywhere give an image or an error with a code", async () => {
    const changes = fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(gif, bmp),
        changes,
        fc.constantFrom("DecodeGif", "DecodeBmp", "DecodeImage"),
        async (file, changes, op) => {
          const changed = Buffer.from(file);
          for (const [at, byte] of changes) {
            changed[at % file.length] = byte;
          }
          try {
            await decoded(op, changed);
          } catch (error) {
            expect(error).toBeInstanceOf(TensorFlowError);
          }
        },
      ),
      { numRuns: 400, seed: 5 },
    );
  });

  test("that say they are huge are refused without the memory for it", async () => {
    const hugeFrame = Buffer.from(gif);
    hugeFrame.fill(0xff, gif.length - 13, gif.length - 9);
    await expect(decoded("DecodeGif", hugeFrame)).rejects.toThrow("Invalid GIF data");
    const hugeBmp = Buffer.from(bmp);
    hugeBmp.writeInt32LE(2 ** 31 - 1, 18);
    await expect(decoded("DecodeBmp", hugeBmp)).rejects.toThrow("must be less than 2^30");
  });

  test("of other formats are refused by name", async () => {
    await expect(decoded("DecodeImage", Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).rejects.toThrow("not JPEG");
    await expect(decoded("DecodeBmp", gif)).rejects.toThrow("wrong op");
  });
});
