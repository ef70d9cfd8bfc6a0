import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Jobs } from "../../main/runs/tensors/jobs.js";
import { TensorService } from "../../main/runs/tensors/tensor-service.js";
import { TensorStore } from "../../main/runs/tensors/tensor-store.js";
import { THIS_PROGRAM } from "../../main/shared/caller.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";
import { parseSelection, type Selection, wholeOf } from "../../worker-runtime/protocol/selection.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const SHAPE = [3, 5, 7, 4];
const DTYPES: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "int32",
  "int64",
  "uint8",
  "bool",
  "complex64",
];
const SLICES = ["", "1", "..., ::2", "0, 1:4, -3:", "2, 3, 4, 1", ":, 2, ::3, 1"];
const BINS = 33;

/** The same elements as `values` in Python below. */
function values(dtype: DType): Tensor {
  const count = SHAPE.reduce((product, size) => product * size, 1);
  const numbers = Array.from({ length: count }, (_, i) => ((i * 37) % 101) / 4 - 5);
  if (dtype === "bool")
    return Tensor.of(
      numbers.map((value) => value > 0),
      dtype,
      SHAPE,
    );
  if (dtype === "complex64")
    return Tensor.of(
      numbers.map((value) => ({ re: value, im: -value / 2 })),
      dtype,
      SHAPE,
    );
  if (dtype.startsWith("float")) return Tensor.of(numbers, dtype, SHAPE);
  return Tensor.of(
    numbers.map((value) => Math.abs(Math.trunc(value))),
    dtype,
    SHAPE,
  );
}

const READ = `
import json, sys, numpy as np
folder = sys.argv[1]
count = ${SHAPE.join(" * ")}
numbers = ((np.arange(count) * 37) % 101) / 4 - 5
def values(dtype):
    if dtype == "bool": return numbers > 0
    if dtype == "complex64": return (numbers - 0.5j * numbers).astype(dtype)
    return (numbers if dtype.startswith("float") else np.abs(np.trunc(numbers))).astype(dtype)
result = []
for dtype in ${JSON.stringify(DTYPES)}:
    tensor = values(dtype).reshape(${JSON.stringify(SHAPE)})
    for number, text in enumerate(${JSON.stringify(SLICES)}):
        part = eval(f"tensor[{text or '...'}]")
        saved = np.load(f"{folder}/{dtype}-{number}.npy")
        real = np.abs(part) if part.dtype.kind == "c" else part.astype(np.float64)
        csv = None
        if dtype != "bool":
            read = np.loadtxt(f"{folder}/{dtype}-{number}.csv", delimiter=",", dtype=part.dtype, ndmin=2)
            csv = bool(np.array_equal(read, part.reshape(-1, part.shape[-1] if part.ndim else 1)))
        result.append({
            "saved": bool(saved.dtype == part.dtype and saved.shape == part.shape and np.array_equal(saved, part)),
            "csv": csv,
            "figures": [float(real.min()), float(real.max()), float(real.mean(dtype=np.float64)), float(real.std(dtype=np.float64))],
            "bins": np.histogram(real, ${BINS})[0].tolist() if dtype != "complex64" else None,
        })
print("RESULT " + json.dumps(result))
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-views-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(peerMissing("tensorflow"))("parts of tensors", () => {
  test("are the same in NumPy: as files, figures and histograms", async () => {
    const store = new TensorStore();
    const { handlers } = new TensorService(store, new Jobs(() => undefined));
    const tensor = { runId: "r", name: "t:0" };
    const ours: { figures: number[]; bins: number[] }[] = [];
    for (const dtype of DTYPES) {
      store.set("r", 1, [{ name: "t:0", tensor: values(dtype) }]);
      for (const [number, text] of SLICES.entries()) {
        const selection = (text === "" ? wholeOf(SHAPE) : parseSelection(text, SHAPE)) as Selection;
        const part = { tensor, selection: [...selection], jobId: "j" };
        const path = join(folder, `${dtype}-${number}`);
        for (const format of ["npy", "csv"] as const) {
          await handlers["tensors.save"]({ ...part, format, path: `${path}.${format}` }, THIS_PROGRAM);
        }
        const { finite, bins } = await handlers["tensors.statistics"]({ ...part, bins: BINS }, THIS_PROGRAM);
        ours.push({ figures: finite ? [finite.min, finite.max, finite.mean, finite.std] : [], bins });
      }
    }
    interface Theirs {
      readonly saved: boolean;
      readonly csv: boolean | null;
      readonly figures: readonly number[];
      readonly bins: readonly number[] | null;
    }
    const theirs = await tensorflowResult<Theirs[]>(READ, { args: [folder] });
    expect(theirs.map(({ saved, csv }) => saved && csv !== false)).toEqual(theirs.map(() => true));
    expect(theirs.map(({ bins }) => bins)).toEqual(theirs.map(({ bins }, i) => bins && ours[i]?.bins));
    theirs.forEach(({ figures }, i) => {
      figures.forEach((figure, j) => void expect(ours[i]?.figures[j]).toBeCloseTo(figure, 4));
    });
  });
});
