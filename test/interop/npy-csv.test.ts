import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCsv } from "../../worker-runtime/io/csv.js";
import { readNpy, writeNpy } from "../../worker-runtime/io/npy.js";
import { readNpz } from "../../worker-runtime/io/npz.js";
import { type DType, dtypeKind, dtypes } from "../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing, spawnPeer, tensorflowPython } from "../support/peers.js";

let folder = "";

async function python(script: string): Promise<string> {
  const child = await spawnPeer(tensorflowPython(), ["-c", script, folder]);
  const { code } = await child.exited;
  if (code !== 0) throw new Error(child.output());
  return child.stdout();
}

/** Arrays of every kind by file name, with their values as JSON, as NumPy says. */
const writeArrays = `
import csv, json, sys, numpy as np, ml_dtypes
folder = sys.argv[1]
arrays = {}
for dtype in ["b1","i1","i2","i4","i8","u1","u2","u4","u8","f2","f4","f8","c8","c16"]:
    for order in "<>":
        a = np.arange(24).reshape(2, 3, 4).astype(order + dtype)
        arrays[f"{dtype}-{'big' if order == '>' else 'little'}"] = a
        arrays[f"{dtype}-{'big' if order == '>' else 'little'}-fortran"] = np.asfortranarray(a)
arrays["bfloat16"] = np.array([1.5, -2], ml_dtypes.bfloat16)
arrays["scalar"] = np.float64(2.5)
arrays["empty"] = np.zeros((0, 3), np.float32)
arrays["one-row"] = np.asfortranarray(np.arange(3, dtype=np.int32).reshape(1, 3))
arrays["unicode"] = np.array([["a", "ä😀"], ["", "long text"]])
arrays["unicode-fortran"] = np.asfortranarray(arrays["unicode"])
arrays["bytes"] = np.array([b"a", b"bc\\xff"])
expected = {}
for name, a in arrays.items():
    np.save(f"{folder}/{name}.npy", a)
    flat = np.ascontiguousarray(a).reshape(-1)
    if flat.dtype.kind == "S": expected[name] = [list(a.shape), [x.decode("latin1") for x in flat]]
    elif flat.dtype.kind == "U": expected[name] = [list(a.shape), [str(x) for x in flat]]
    elif flat.dtype.kind == "c": expected[name] = [list(a.shape), [float(x.real) for x in flat]]
    else: expected[name] = [list(a.shape), [float(x) for x in flat.astype(np.float64)]]
for version in (2, 3):
    with open(f"{folder}/version-{version}.npy", "wb") as f:
        np.lib.format.write_array(f, np.arange(3.0), version=(version, 0))
    expected[f"version-{version}"] = [[3], [0.0, 1.0, 2.0]]
np.savez(f"{folder}/plain.npz", a=np.arange(3), b=np.ones(2))
np.savez_compressed(f"{folder}/packed.npz", a=np.arange(3), b=np.ones(2))
with open(f"{folder}/data.csv", "w", newline="") as f:
    writer = csv.writer(f)
    writer.writerow(["name", "x"])
    writer.writerows([['a, "q"', 1.5], ["two\\nlines", -2e10], ["", float("inf")]])
print(json.dumps(expected))
`;

const readArrays = `
import json, sys, os, numpy as np, ml_dtypes
folder = sys.argv[1]
result = {}
for name in sorted(os.listdir(folder)):
    if not name.startswith("ours-"): continue
    a = np.load(f"{folder}/{name}")
    if a.dtype.kind == "V": a = a.view(ml_dtypes.bfloat16)
    flat = a.reshape(-1)
    values = [x.decode() for x in flat] if a.dtype.kind == "S" else [float(np.real(x)) for x in flat]
    result[name[5:-4]] = [str(a.dtype), list(a.shape), values]
print(json.dumps(result))
`;

describe.skipIf(peerMissing("tensorflow"))("files that NumPy and Python read and write", () => {
  let expected: Record<string, [number[], (number | string)[]]> = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-npy-"));
    expected = JSON.parse(await python(writeArrays)) as typeof expected;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("arrays of all kinds, byte orders, memory orders and versions", async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith(".npy"));
    expect(files.length).toBeGreaterThan(60);
    for (const [name, [shape, values]] of Object.entries(expected)) {
      const tensor = readNpy(await readFile(join(folder, `${name}.npy`)), name);
      expect(tensor.shape, name).toEqual(shape);
      const read = Array.from({ length: tensor.size }, (_, i) => {
        if (name === "bytes") return Buffer.from(tensor.data[i] as Uint8Array).toString("latin1");
        const element = tensor.at(i);
        if (typeof element === "string") return element;
        return typeof element === "object" && "re" in element ? element.re : Number(element);
      });
      expect(read, name).toEqual(values);
    }
  });

  test("NumPy's own objects are refused with advice", async () => {
    await python(
      "import numpy as np, sys; np.save(sys.argv[1] + '/objects.npy', np.array(['a', None], object), allow_pickle=True)",
    );
    const bytes = await readFile(join(folder, "objects.npy"));
    expect(() => readNpy(bytes, "objects.npy")).toThrow('array.astype("S")');
  });

  test.each(["plain.npz", "packed.npz"])("%s", async (name) => {
    const bytes = await readFile(join(folder, name));
    expect(readNpz(bytes, "a", name).toArray()).toEqual([0n, 1n, 2n]);
    expect(readNpz(bytes, "b", name).toArray()).toEqual([1, 1]);
  });

  test("NumPy reads what we write", async () => {
    const written = dtypes.filter(
      (dtype) => dtypeKind(dtype) !== "opaque" && !/^(q|u?int[24]$|float[48]_)/.test(dtype),
    );
    for (const dtype of written) {
      const values = dtype === "string" ? [["a", "ä"]] : [[1, 0]];
      await writeFile(join(folder, `ours-${dtype}.npy`), writeNpy(Tensor.of(values, dtype)));
    }
    await writeFile(join(folder, "ours-scalar.npy"), writeNpy(Tensor.of(2.5, "float64")));
    const read = JSON.parse(await python(readArrays)) as Record<string, [string, number[], unknown[]]>;
    expect(read.scalar).toEqual(["float64", [], [2.5]]);
    for (const dtype of written as readonly DType[]) {
      const numpyName = dtype === "string" ? "|S2" : dtype;
      expect(read[dtype]).toEqual([numpyName, [1, 2], dtype === "string" ? ["a", "ä"] : [1, 0]]);
    }
  });

  test("CSV as Python's csv module writes it", async () => {
    const bytes = await readFile(join(folder, "data.csv"));
    expect(readCsv(bytes, { column: "name", dtype: "string" }).toArray()).toEqual([
      'a, "q"',
      "two\nlines",
      "",
    ]);
    expect(readCsv(bytes, { column: "x", dtype: "float64" }).toArray()).toEqual([1.5, -2e10, Infinity]);
  });
});
