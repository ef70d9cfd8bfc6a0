import { dataLoss, invalidArgument, StatusCode, TensorFlowError } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import { compressionOf, FileBytes } from "../io/files/file-bytes.js";
import type { Compression } from "../io/files/inflater.js";
import { type FixedLayout, nextFixed, nextRecord, withoutReturns } from "../io/files/records.js";
import { textsOf } from "../io/string-inputs.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { noTypes } from "../support/dtypes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { countInput, datasetKernel, type Pull } from "./dataset.js";

/** Reads the records of an open file. */
interface FileRecords {
  begin?(bytes: FileBytes, step: StepContext): Promise<void>;
  next(bytes: FileBytes, step: StepContext): Promise<Uint8Array | undefined>;
}

/** The records of the files, one file after another; each is opened when its turn comes. */
function files(paths: readonly string[], compression: Compression, records: FileRecords): () => Pull {
  return () => {
    let at = 0;
    let bytes: FileBytes | undefined;
    const skip = () => {
      bytes = undefined;
      at += 1;
    };
    return async (step) => {
      for (let path = paths[at]; path !== undefined; path = paths[at]) {
        try {
          if (bytes === undefined) {
            const opened = new FileBytes(path, compression);
            await records.begin?.(opened, step);
            bytes = opened;
          }
          const value = await records.next(bytes, step);
          if (value !== undefined) {
            return [new Tensor("string", [], [value])];
          }
        } catch (error) {
          // Records after a damaged one cannot be located; the next pull continues with the next file, as in
          // TensorFlow.
          if (error instanceof TensorFlowError && error.code === StatusCode.DATA_LOSS) {
            skip();
          }
          throw error;
        }
        skip();
      }
      return undefined;
    };
  };
}

function pathsOf(context: OpContext): readonly string[] {
  const paths = tensorAt(context.inputs, 0);
  if (paths.shape.length > 1) {
    throw invalidArgument("`filenames` must be a scalar or a vector.");
  }
  return textsOf(paths);
}

function nameAt(context: OpContext, index: number): string {
  return textsOf(tensorAt(context.inputs, index))[0] ?? "";
}

function textLines(context: OpContext): () => Pull {
  return files(pathsOf(context), compressionOf(nameAt(context, 1)), {
    next: (bytes, step) => bytes.line(step, withoutReturns),
  });
}

function tfRecords(context: OpContext): () => Pull {
  const name = nameAt(context, 1);
  // As in TensorFlow, an unknown name means no compression.
  const compression = name === "GZIP" || name === "ZLIB" ? name : "";
  return files(pathsOf(context), compression, { next: nextRecord });
}

function fixedLength(context: OpContext): () => Pull {
  const [header = 0, record = 0, footer = 0] = ["header_bytes", "record_bytes", "footer_bytes"].map(
    (what, i) => {
      const bytes = countInput(context, i + 1, what);
      if (bytes < 0 || (bytes === 0 && what === "record_bytes")) {
        throw invalidArgument(`\`${what}\` must be ${what === "record_bytes" ? ">" : ">="} 0`);
      }
      return bytes;
    },
  );
  const layout: FixedLayout = { header, record, footer, hop: record };
  const compression = compressionOf(nameAt(context, 5));
  return files(pathsOf(context), compression, {
    async begin(bytes, step) {
      const size = await bytes.fileSize(step);
      if (compression === "") {
        checkBody(bytes.path, size, layout);
      }
      bytes.skip((await bytes.peek(header, step)).length);
    },
    async next(bytes, step) {
      const value = await nextFixed(bytes, layout, step);
      if (value === undefined && (await bytes.peek(record + footer, step)).length > footer) {
        throw dataLoss(`Input file "${bytes.path}" ends within a record of ${record} bytes.`);
      }
      return value;
    },
  });
}

/** @throws TensorFlowError INVALID_ARGUMENT for a file whose body is not a whole number of records. */
function checkBody(path: string, size: number, { header, record, footer }: FixedLayout): void {
  // Unsigned, as in TensorFlow, if the header and the footer are longer than the file.
  const body = BigInt.asUintN(64, BigInt(size - header - footer));
  if (body % BigInt(record) !== 0n) {
    throw invalidArgument(
      `Excluding the header (${header} bytes) and footer (${footer} bytes), input file "${path}" has body length ` +
        `${body} bytes, which is not an exact multiple of the record length (${record} bytes).`,
    );
  }
}

/** Datasets of the records of files, which are read incrementally. */
export const fileDatasetKernels: readonly StatefulKernelDefinition[] = [
  datasetKernel("TextLineDataset", { types: noTypes }, () => textLines),
  datasetKernel("TFRecordDataset", { types: noTypes }, () => tfRecords),
  datasetKernel("FixedLengthRecordDatasetV2", { types: noTypes }, () => fixedLength),
];
