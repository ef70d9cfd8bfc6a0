import { readFile } from "node:fs/promises";
import { withFileErrors } from "../../../../io/file-errors.js";
import { crc32c, unmaskCrc } from "../../../../io/tensor-bundle/crc32c.js";
import { dataLoss, invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { sliceAt } from "../state/tensor-batches.js";
import { stringsOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { countInput, datasetKernel, type Pull } from "./dataset.js";

/** The slices of tensors along their first dimensions. */
function tensorSlices(context: OpContext): () => Pull {
  const components = context.inputs.map((_, i) => tensorAt(context.inputs, i));
  const count = components[0]?.shape[0] ?? 0;
  for (const [i, { shape }] of components.entries()) {
    if (shape.length === 0) {
      throw invalidArgument("All components must be at least 1-dimensional");
    }
    if (shape[0] !== count) {
      throw invalidArgument(
        `All components must have the same size in the 0th dimension; component ${i} has ${shape[0]} instead of ${count}`,
      );
    }
  }
  return () => {
    let at = 0;
    return async () => {
      if (at >= count) {
        return undefined;
      }
      at += 1;
      return components.map((component) => sliceAt(component, at - 1, component.shape.slice(1)));
    };
  };
}

function range(context: OpContext): () => Pull {
  const [start, stop, step] = ["start", "stop", "step"].map((what, i) => countInput(context, i, what)) as [
    number,
    number,
    number,
  ];
  if (step === 0) {
    throw invalidArgument("step must be a non-zero integer.");
  }
  return () => {
    let next = start;
    return async () => {
      if (step > 0 ? next >= stop : next <= stop) {
        return undefined;
      }
      const value = new Tensor("int64", [], BigInt64Array.of(BigInt(next)));
      next += step;
      return [value];
    };
  };
}

type RecordsOf = (bytes: Uint8Array, path: string) => Generator<Uint8Array>;

/** The lines of a text, without their ends. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(start, end > start && bytes[end - 1] === 0x0d ? end - 1 : end);
    start = end + 1;
  }
}

const LENGTH_BYTES = 8;
const CRC_BYTES = 4;

/**
 * The records of a TFRecord file: each its length (uint64, little-endian), that length's checksum, its bytes and theirs.
 * @throws TensorFlowError DATA_LOSS for a file that is cut off or changed.
 */
function* recordsOf(bytes: Uint8Array, path: string): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const check = (start: number, length: number): Uint8Array => {
    const end = start + length;
    if (end + CRC_BYTES > bytes.length) {
      throw dataLoss(`truncated record at ${start} of ${path}`);
    }
    const part = bytes.subarray(start, end);
    if (unmaskCrc(view.getUint32(end, true)) !== crc32c(part)) {
      throw dataLoss(`corrupted record at ${start} of ${path}`);
    }
    return part;
  };
  for (let at = 0; at < bytes.length; ) {
    check(at, LENGTH_BYTES);
    const length = Number(view.getBigUint64(at, true));
    yield check(at + LENGTH_BYTES + CRC_BYTES, length);
    at += LENGTH_BYTES + length + 2 * CRC_BYTES;
  }
}

/** What the files hold, one after the other; each is read when its turn comes. */
function files(recordsIn: RecordsOf): (context: OpContext) => () => Pull {
  return (context) => {
    const paths = stringsOf(tensorAt(context.inputs, 0)).map((path) => Buffer.from(path).toString());
    const compression = Buffer.from(stringsOf(tensorAt(context.inputs, 1))[0] ?? []).toString();
    if (compression !== "") {
      throw unimplemented(`The portable engine reads no files that are compressed with ${compression}.`);
    }
    return () => {
      const rest = [...paths];
      let records: Generator<Uint8Array> | undefined;
      return async (step) => {
        for (;;) {
          const next = records?.next();
          if (next !== undefined && next.done !== true) {
            return [new Tensor("string", [], [next.value])];
          }
          const path = rest.shift();
          if (path === undefined) {
            return undefined;
          }
          records = recordsIn(await contents(path, step), path);
        }
      };
    };
  };
}

/** The bytes of a file that graphs may read. */
async function contents(path: string, step: StepContext): Promise<Uint8Array> {
  const resolved = await step.files.resolve(path, "read");
  return withFileErrors(path, () => readFile(resolved, { signal: step.signal }));
}

/** Datasets that are made of tensors, numbers and files. */
export const sourceKernels: readonly StatefulKernelDefinition[] = [
  datasetKernel("TensorSliceDataset", () => tensorSlices),
  datasetKernel("TensorDataset", () => ({ inputs }) => () => {
    let isDone = false;
    return async () => {
      const element = isDone ? undefined : inputs;
      isDone = true;
      return element;
    };
  }),
  datasetKernel("RangeDataset", () => range),
  datasetKernel("TextLineDataset", () => files(linesOf)),
  datasetKernel("TFRecordDataset", () => files(recordsOf)),
];
