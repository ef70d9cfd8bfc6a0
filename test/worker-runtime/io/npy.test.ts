import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readNpy, writeNpy } from "../../../worker-runtime/io/npy.js";
import { readNpz } from "../../../worker-runtime/io/npz.js";
import { parsePythonLiteral } from "../../../worker-runtime/io/python-literal.js";
import { type DType, dtypeKind, dtypes } from "../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

/** A .npy file with the given header text; the data follows at once. */
function file(header: string, data: Uint8Array | readonly number[] = [], version = 1): Uint8Array {
  const text = Buffer.from(header, version === 3 ? "utf8" : "latin1");
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  if (version === 1) length.writeUInt16LE(text.length);
  else length.writeUInt32LE(text.length);
  return Buffer.concat([
    Buffer.from("\x93NUMPY", "latin1"),
    Buffer.from([version, 0]),
    length,
    text,
    Buffer.from(data),
  ]);
}

const header = (descr: string, shape: string, fortran = "False") =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`;

describe("readNpy", () => {
  test.each([1, 2, 3])("version %i", (version) => {
    const tensor = readNpy(file(header("<i4", "(2,)"), [1, 0, 0, 0, 2, 0, 0, 0], version));
    expect(tensor.dtype).toBe("int32");
    expect(tensor.toArray()).toEqual([1, 2]);
  });

  test("big-endian numbers, complex ones by their halves", () => {
    expect(readNpy(file(header(">i2", "(2,)"), [0, 1, 1, 0])).toArray()).toEqual([1, 256]);
    const halves = Buffer.alloc(8);
    halves.writeFloatBE(1.5, 0);
    halves.writeFloatBE(-2, 4);
    expect(readNpy(file(header(">c8", "()"), halves)).item()).toEqual({ re: 1.5, im: -2 });
  });

  test("Fortran order of any rank", () => {
    expect(readNpy(file(header("|u1", "(2, 3)", "True"), [1, 4, 2, 5, 3, 6])).toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    // Element [i, j, k] lies at i + 2j + 4k.
    const cube = readNpy(file(header("|u1", "(2, 2, 2)", "True"), [0, 1, 2, 3, 4, 5, 6, 7]));
    expect([...cube.data]).toEqual([0, 4, 2, 6, 1, 5, 3, 7]);
  });

  test("a scalar and empty arrays", () => {
    expect(readNpy(file(header("<f8", "()"), Buffer.from(new Float64Array([2.5]).buffer))).item()).toBe(2.5);
    expect(readNpy(file(header("<f4", "(0, 3)", "True"))).shape).toEqual([0, 3]);
  });

  test("text, fixed width, as UTF-8", () => {
    const wide = Buffer.from(new Uint32Array([0x1f600, 0xe4, 0x62, 0]).buffer);
    expect(readNpy(file(header("<U2", "(2,)"), wide)).toArray()).toEqual(["😀ä", "b"]);
    expect(readNpy(file(header("|S3", "(2,)"), [97, 0, 98, 99, 0, 0])).toArray()).toEqual(["a\0b", "c"]);
  });

  test("aligned numbers are a view, others a copy", () => {
    const written = writeNpy(Tensor.of([1, 2, 3]));
    expect(readNpy(written).data).toHaveProperty("buffer", written.buffer);
    const shifted = new Uint8Array(written.length + 1);
    shifted.set(written, 1);
    expect(readNpy(shifted.subarray(1)).toArray()).toEqual([1, 2, 3]);
  });

  test.each([
    ["no signature", Buffer.from("PK\x03\x04 and more bytes"), "not a .npy file"],
    ["cut in its header", file(header("<f4", "(1,)")).subarray(0, 20), "cut short"],
    ["cut in its data", file(header("<f4", "(3,)"), [0, 0, 0, 0]), "takes 12 bytes, but 4 bytes follow"],
    ["a later version", file(header("<f4", "()"), [0, 0, 0, 0], 1).fill(9, 6, 7), "version 9"],
    ["a header that is no literal", file("__import__('os')"), "expected a value at character 1"],
    ["a header that is no dictionary", file("(1, 2)"), "not a dictionary"],
    ["a missing field", file("{'descr': '<f4', 'shape': (1,)}"), '"fortran_order"'],
    ["a negative size", file(header("<f4", "(-1,)")), "missing or wrong"],
    ["objects", file(header("|O", "(1,)")), "pickle"],
    ["dates", file(header("<M8[ns]", "(1,)")), "not a NumPy type"],
    ["long doubles", file(header("<f16", "(1,)")), 'elements of type "<f16"'],
    [
      "records",
      file("{'descr': [('x', '<f4'), ('y', '<i4')], 'fortran_order': False, 'shape': (1,)}"),
      "fields x, y",
    ],
    ["nesting without end", file("(".repeat(60_000)), "less nesting"],
  ])("refuses %s", (_what, bytes, message) => {
    expect(() => readNpy(bytes, "a.npy")).toThrow(message);
  });
});

describe("writeNpy", () => {
  const numeric = dtypes.filter((dtype) => !["opaque", "string"].includes(dtypeKind(dtype)));

  test("elements begin at a multiple of 64 bytes and the header ends with a line feed", () => {
    for (const shape of [[], [3], [1, 2, 3], [7, 1, 1, 1, 1, 1, 1, 1, 1]]) {
      const tensor = Tensor.of(1, "float32", shape);
      const bytes = writeNpy(tensor);
      const start = bytes.length - tensor.byteLength;
      expect(start % 64).toBe(0);
      expect(bytes[start - 1]).toBe(0x0a);
    }
  });

  test.each(numeric.filter((dtype) => !/^(q|u?int[24]$|float8_e4|float8_e5m2fnuz|float4)/.test(dtype)))(
    "%s comes back as it was",
    (dtype: DType) => {
      const tensor = Tensor.of([[1, 0, 1]], dtype);
      const read = readNpy(writeNpy(tensor));
      expect(read.dtype).toBe(dtype);
      expect(read.shape).toEqual([1, 3]);
      expect(read.data).toEqual(tensor.data);
    },
  );

  test("strings come back, save those that NumPy cannot keep", () => {
    expect(readNpy(writeNpy(Tensor.of(["", "ä", "long text"]))).toArray()).toEqual(["", "ä", "long text"]);
    expect(() => writeNpy(Tensor.of(["a\0"]))).toThrow("ends with a zero byte");
    expect(() => writeNpy(new Tensor("resource", [1], [new Uint8Array(0)]))).toThrow("resource");
  });
});

describe("readNpz", () => {
  /** A ZIP file of one or more entries, as zipfile writes it. */
  function zip(entries: Record<string, Uint8Array>, compress: boolean): Uint8Array {
    const parts: Buffer[] = [];
    const directory: Buffer[] = [];
    let offset = 0;
    for (const [name, content] of Object.entries(entries)) {
      const packed = compress ? deflateRawSync(content) : Buffer.from(content);
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(compress ? 8 : 0, 8);
      local.writeUInt16LE(name.length, 26);
      const central = Buffer.alloc(46);
      central.writeUInt32LE(0x02014b50, 0);
      central.writeUInt16LE(compress ? 8 : 0, 10);
      central.writeUInt32LE(packed.length, 20);
      central.writeUInt32LE(content.length, 24);
      central.writeUInt16LE(name.length, 28);
      central.writeUInt32LE(offset, 42);
      parts.push(local, Buffer.from(name), packed);
      directory.push(central, Buffer.from(name));
      offset += 30 + name.length + packed.length;
    }
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(Object.keys(entries).length, 10);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...parts, ...directory, end]);
  }
  const a = writeNpy(Tensor.of([1, 2], "int32"));
  const b = writeNpy(Tensor.of([3.5]));

  test.each([false, true])("compressed: %s", (compress) => {
    const bytes = zip({ "a.npy": a, "b.npy": b }, compress);
    expect(readNpz(bytes, "a").toArray()).toEqual([1, 2]);
    expect(readNpz(bytes, "b").toArray()).toEqual([3.5]);
    expect(() => readNpz(bytes, undefined)).toThrow("It holds a, b.");
    expect(() => readNpz(bytes, "c", "x.npz")).toThrow('"x.npz" has no array "c"');
    expect(() => readNpz(bytes.subarray(0, bytes.length - 30), "a")).toThrow(
      "the directory at its end is missing",
    );
  });

  test("what unpacks to more than a message holds is refused before it takes memory", () => {
    const bytes = Buffer.from(zip({ "x.npy": a }, true));
    const size = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24;
    bytes.writeUInt32LE(3 * 2 ** 30, size);
    expect(() => readNpz(bytes, undefined, "zeros.npz")).toThrow(
      /"zeros\.npz:x" unpacks to 3 GiB; here at most .* are unpacked\. Save it/,
    );
  });

  test("the only array needs no name", () => {
    expect(readNpz(zip({ "arr_0.npy": b }, true), undefined).toArray()).toEqual([3.5]);
  });
});

test("Python literals", () => {
  expect(parsePythonLiteral(`{'a': (1, -2L), "b": [True, None, 'it\\'s'],}`)).toEqual(
    new Map<string, unknown>([
      ["a", [1, -2]],
      ["b", [true, null, "it's"]],
    ]),
  );
  expect(() => parsePythonLiteral("{'a': 1 'b': 2}")).toThrow(/expected "," or "}" at character 9/);
});
