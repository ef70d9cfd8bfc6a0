import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Params, Result } from "../../../../main/api/contract.js";
import { MAX_CELLS, tensorMethods } from "../../../../main/api/tensors.js";
import { Jobs } from "../../../../main/runs/tensors/jobs.js";
import { TensorService } from "../../../../main/runs/tensors/tensor-service.js";
import { TensorStore } from "../../../../main/runs/tensors/tensor-store.js";
import { THIS_PROGRAM } from "../../../../main/shared/caller.js";
import { readNpy } from "../../../../worker-runtime/io/npy.js";
import { wholeOf } from "../../../../worker-runtime/protocol/selection.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { toldEvents } from "../../support/told-events.js";

type MethodName = keyof typeof tensorMethods;

const store = new TensorStore();
const { emit } = toldEvents();
const service = new TensorService(store, new Jobs(emit));
const address = { runId: "r", name: "t:0" };

/** Keeps a tensor and asks for it, as a window does. */
async function ask<M extends MethodName>(
  method: M,
  tensor: Tensor,
  params: Omit<Params<M>, "tensor" | "jobId">,
  caller = THIS_PROGRAM,
): Promise<Result<M>> {
  store.set(address.runId, 3, [{ name: address.name, tensor }]);
  const checked = tensorMethods[method].params.parse({ tensor: address, jobId: "job", ...params });
  const handler = service.handlers[method] as (params: unknown, caller: unknown) => unknown;
  return (await handler(checked, caller)) as Result<M>;
}

const range = (count: number) => Tensor.of(Float32Array.from({ length: count }, (_, i) => i));
const whole = (tensor: Tensor) => [...wholeOf(tensor.shape)];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tensordeck-tensors-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the cells of a tensor", () => {
  const tensor = range(24).reshape([2, 3, 4]);

  it("are those of the requested rows and columns", async () => {
    const cells = await ask("tensors.cells", tensor, {
      selection: [1, { from: 0, to: 3, step: 2 }, { from: 1, to: 4, step: 1 }],
      columnAxis: 1,
      rows: { from: 1, count: 9 },
      columns: { from: 0, count: 9 },
    });
    expect(cells).toEqual({ values: ["14.0", "22.0", "15.0", "23.0"], rows: 2, columns: 2, step: 3 });
  });

  it("are refused if they are too many, or outside the tensor", async () => {
    const large = range(MAX_CELLS + 1);
    const rows = { from: 0, count: 1 };
    const columns = { from: 0, count: MAX_CELLS + 1 };
    await expect(ask("tensors.cells", large, { selection: whole(large), rows, columns })).rejects.toThrow(
      "100001 cells were requested at once",
    );
    await expect(ask("tensors.cells", tensor, { selection: [2, 0, 0], rows, columns: rows })).rejects.toThrow(
      "Dimension 0 has 2 indices; 2 is not within them.",
    );
  });
});

describe("figures", () => {
  it("count NaN, infinities and zeros, and leave them out of the rest", async () => {
    const tensor = Tensor.of(new Float32Array([Number.NaN, Infinity, -Infinity, 0, 1, 2, 2, -0]));
    expect(await ask("tensors.statistics", tensor, { selection: whole(tensor), bins: 2 })).toEqual({
      ...{ count: 8, nan: 1, positiveInfinity: 1, negativeInfinity: 1, zeros: 2, step: 3 },
      finite: { min: 0, max: 2, mean: 1, std: Math.sqrt(0.8) },
      bins: [2, 3],
    });
  });

  it("are empty for a tensor without finite elements, and refused for strings", async () => {
    const nothing = Tensor.of(new Float32Array([Number.NaN]));
    const statistics = await ask("tensors.statistics", nothing, { selection: whole(nothing), bins: 4 });
    expect([statistics.finite, statistics.bins]).toEqual([undefined, []]);
    const strings = Tensor.of(["a"]);
    await expect(ask("tensors.statistics", strings, { selection: whole(strings), bins: 4 })).rejects.toThrow(
      "The elements of a string tensor are not numbers.",
    );
  });

  it("are of the absolute values of complex elements and of the bits' values of small floats", async () => {
    const complex = Tensor.of([{ re: 3, im: 4 }]);
    const one = await ask("tensors.statistics", complex, { selection: whole(complex), bins: 1 });
    expect(one.finite?.max).toBe(5);
    const small = Tensor.of([1.5, -2], "bfloat16");
    const two = await ask("tensors.statistics", small, { selection: whole(small), bins: 1 });
    expect(two.finite).toMatchObject({ min: -2, max: 1.5 });
  });

  it("end when they are cancelled, and when their window has gone", async () => {
    const large = new Tensor("float32", [3000, 1000], new Float32Array(3_000_000));
    const params = { selection: whole(large), bins: 8 };
    const cancelled = ask("tensors.statistics", large, params);
    service.handlers["tensors.cancel"]({ jobId: "job" }, THIS_PROGRAM);
    await expect(cancelled).rejects.toThrow("cancelled");
    const window = new AbortController();
    const abandoned = ask("tensors.statistics", large, params, { gone: window.signal });
    window.abort();
    await expect(abandoned).rejects.toThrow("cancelled");
    expect((await ask("tensors.statistics", large, params)).zeros).toBe(3_000_000);
  });
});

describe("pictures", () => {
  it("have the mean of the elements of each cell", async () => {
    const tensor = range(16).reshape([4, 4]);
    const map = await ask("tensors.heatMap", tensor, { selection: whole(tensor), width: 2, height: 9 });
    const cells = new Float32Array(map.cells.buffer, map.cells.byteOffset, map.cells.byteLength / 4);
    expect([map.width, map.height, ...cells]).toEqual([2, 4, 0.5, 2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5]);
    expect(map.range).toEqual({ min: 0.5, max: 14.5 });
  });

  it("are the pixels of an image with one, three or four channels", async () => {
    const grey = Tensor.of(new Uint8Array([0, 255, 7, 8]), "uint8", [1, 2, 2, 1]);
    const image = await ask("tensors.image", grey, { selection: [0, ...whole(grey).slice(1)] });
    expect([...image.rgba]).toEqual([0, 0, 0, 255, 255, 255, 255, 255, 7, 7, 7, 255, 8, 8, 8, 255]);
    const colour = Tensor.of(new Float32Array([0, 0.5, 1, 1]), "float32", [1, 1, 4]);
    expect([...(await ask("tensors.image", colour, { selection: whole(colour) })).rgba]).toEqual([
      0, 128, 255, 255,
    ]);
    const signed = Tensor.of(new Float32Array([-1, 0, 3]), "float32", [1, 1, 3]);
    const scaled = await ask("tensors.image", signed, { selection: whole(signed) });
    expect([scaled.low, scaled.high, ...scaled.rgba]).toEqual([-1, 3, 0, 64, 255, 255]);
    const cut = await ask("tensors.image", signed, { selection: whole(signed), range: { low: 0, high: 1 } });
    expect([...cut.rgba]).toEqual([0, 0, 255, 255]);
  });

  it("take every n-th pixel of a large image, and nothing that is no image", async () => {
    const wide = Tensor.of(new Uint8Array(3000).fill(9), "uint8", [1, 3000]);
    const image = await ask("tensors.image", wide, { selection: whole(wide) });
    expect([image.width, image.height, image.fullWidth]).toEqual([1000, 1, 3000]);
    const two = Tensor.of(new Uint8Array(4), "uint8", [1, 2, 2]);
    await expect(ask("tensors.image", two, { selection: whole(two) })).rejects.toThrow("not an image");
  });

  it("have the lowest and the highest element of each point of a line", async () => {
    const tensor = Tensor.of(new Float32Array([3, 1, Number.NaN, 2, 5]));
    const lines = await ask("tensors.lines", tensor, { selection: whole(tensor), points: 3 });
    expect(lines).toMatchObject({ elementsPerPoint: 2, lines: [{ low: [1, 2, 5], high: [3, 2, 5] }] });
  });
});

it("finds the largest elements of a row, and the sum of the others", async () => {
  const tensor = Tensor.of(new Float32Array([0, 0, 0, 0, 0.5, 0.125, 0.25, 0.125]), "float32", [2, 4]);
  const top = await ask("tensors.top", tensor, { selection: whole(tensor), row: 1, count: 2 });
  expect(top).toEqual({
    top: [
      { index: 0, value: 0.5, text: "0.5" },
      { index: 2, value: 0.25, text: "0.25" },
    ],
    ...{ rest: 0.25, columns: 4, step: 3 },
  });
  await expect(ask("tensors.top", tensor, { selection: whole(tensor), row: 2, count: 2 })).rejects.toThrow(
    "There are 2 rows",
  );
});

describe("a tensor as a file", () => {
  const tensor = range(24).reshape([2, 3, 4]);
  const save = (what: Tensor, format: "npy" | "csv", name: string, selection = whole(what)) =>
    ask("tensors.save", what, { selection, format, path: join(folder, name) });

  it("reads back as the same tensor", async () => {
    const saved = await save(tensor, "npy", "whole.npy");
    const bytes = readFileSync(join(folder, "whole.npy"));
    expect(saved.byteLength).toBe(bytes.length);
    expect(readNpy(bytes)).toEqual(tensor);
    await save(tensor, "npy", "part.npy", [{ from: 0, to: 2, step: 1 }, 1, { from: 0, to: 4, step: 3 }]);
    const part = readNpy(readFileSync(join(folder, "part.npy")));
    expect([part.shape, [...(part.data as Float32Array)]]).toEqual([
      [2, 2],
      [4, 7, 16, 19],
    ]);
    const strings = Tensor.of(["ä", "b, c"]);
    await save(strings, "npy", "strings.npy");
    expect(readNpy(readFileSync(join(folder, "strings.npy"))).toArray()).toEqual(["ä", "b, c"]);
  });

  it("is a line of CSV for each row", async () => {
    await save(Tensor.of(["a", 'say "x"', "b,\nc", ""], "string", [2, 2]), "csv", "text.csv");
    expect(readFileSync(join(folder, "text.csv"), "utf8")).toBe('a,"say ""x"""\r\n"b,\nc",\r\n');
  });

  it("leaves the old file as it was if it is cancelled or cannot be written", async () => {
    const path = join(folder, "old.csv");
    writeFileSync(path, "old");
    const large = range(200_000);
    const saving = save(large, "csv", "old.csv");
    service.handlers["tensors.cancel"]({ jobId: "job" }, THIS_PROGRAM);
    await expect(saving).rejects.toThrow("cancelled");
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["old", ["old.csv"]]);
    await expect(save(large, "csv", "none/a.csv")).rejects.toThrow("could not be written");
  });
});
