import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import { compressionOf, FileBytes } from "../io/files/file-bytes.js";
import { withoutReturn } from "../io/files/records.js";
import { textsOf } from "../io/string-inputs.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { columnOf, type Dialect, fieldsOf } from "../string/csv-op.js";
import { floatTypes, indexTypes } from "../support/dtypes.js";
import { integersOf, scalarOf, stringsOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { datasetKernel, type Element, type Pull } from "./dataset.js";

const QUOTE = 0x22;
const LINE_FEED = Buffer.from("\n");

/** How the fields of a record are converted. */
interface CsvColumns extends Dialect {
  readonly hasHeader: boolean;
  readonly notAvailable: Uint8Array;
  /** The selected fields, in ascending order; empty for all. */
  readonly selected: readonly number[];
  readonly excluded: readonly number[];
  readonly dtypes: readonly DType[];
  readonly defaults: readonly Tensor[];
}

/** The indexes of the op's inputs. */
const INPUT = {
  compression: 1,
  header: 3,
  delimiter: 4,
  quotes: 5,
  notAvailable: 6,
  selected: 7,
} as const;

function columnsOf(dtypes: readonly DType[], { inputs }: OpContext): CsvColumns {
  const [delimiter, second] = stringsOf(tensorAt(inputs, INPUT.delimiter))[0] ?? [];
  if (delimiter === undefined || second !== undefined) {
    throw invalidArgument("field_delim should be only 1 char");
  }
  const selected = integersOf(tensorAt(inputs, INPUT.selected));
  const afterDefaults = INPUT.selected + 1 + dtypes.length;
  const excluded = inputs[afterDefaults] === undefined ? [] : integersOf(tensorAt(inputs, afterDefaults));
  for (const list of [selected, excluded]) {
    if (list.some((column, index) => column < 0 || column <= (list[index - 1] ?? -1))) {
      throw invalidArgument("select_cols should be strictly increasing indices of at least 0");
    }
  }
  if (selected.length > 0 && excluded.length > 0) {
    throw invalidArgument("Either select_cols or exclude_cols should be empty");
  }
  if (selected.length > 0 && selected.length !== dtypes.length) {
    throw invalidArgument("select_cols should match output size");
  }
  const defaults = dtypes.map((_, i) => tensorAt(inputs, INPUT.selected + 1 + i));
  if (defaults.some(({ shape, size }) => shape.length > 1 || size > 1)) {
    throw invalidArgument("Each record default should be at most 1 element");
  }
  return {
    delimiter,
    quotes: scalarOf(tensorAt(inputs, INPUT.quotes), "use_quote_delim") !== 0,
    hasHeader: scalarOf(tensorAt(inputs, INPUT.header), "header") !== 0,
    notAvailable: stringsOf(tensorAt(inputs, INPUT.notAvailable))[0] ?? new Uint8Array(0),
    selected,
    excluded,
    dtypes,
    defaults,
  };
}

/** The next record without its line end: one line, or several if a quoted field contains line ends. */
async function nextRecord(
  bytes: FileBytes,
  { quotes }: Dialect,
  step: StepContext,
): Promise<Uint8Array | undefined> {
  const lines: Uint8Array[] = [];
  let isOpen = false;
  do {
    const line = await bytes.line(step, (whole) => whole);
    if (line === undefined) {
      break;
    }
    if (lines.length > 0) {
      lines.push(LINE_FEED);
    }
    lines.push(line);
    isOpen = quotes && countOf(line, QUOTE) % 2 === (isOpen ? 0 : 1);
  } while (isOpen);
  return lines.length === 0 ? undefined : withoutReturn(Buffer.concat(lines));
}

function countOf(bytes: Uint8Array, wanted: number): number {
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    count += 1;
  }
  return count;
}

/** A record as one scalar per column. @throws TensorFlowError INVALID_ARGUMENT */
function elementOf(record: Uint8Array, columns: CsvColumns): Element {
  const { selected, excluded, dtypes, defaults, notAvailable } = columns;
  const all = record.length === 0 ? [record] : fieldsOf(record, columns);
  const fields =
    selected.length > 0
      ? selected.flatMap((column) => all.slice(column, column + 1))
      : all.filter((_, column) => !excluded.includes(column));
  if (fields.length !== dtypes.length) {
    const given = fields.length > dtypes.length ? "more" : String(fields.length);
    throw invalidArgument(`Expect ${dtypes.length} fields but have ${given} in record`);
  }
  return dtypes.map((dtype, column) => {
    const field = fields[column];
    const isMissing = field === undefined || field.length === 0 || Buffer.from(notAvailable).equals(field);
    return columnOf(dtype, [], [isMissing ? undefined : field], defaults[column] as Tensor, column);
  });
}

const csvTypes = { output_types: [...floatTypes, ...indexTypes, "string"] } as const;

/** The records of files of comma-separated values (RFC 4180), file by file. */
const csvKernel: StatefulKernelDefinition = datasetKernel("CSVDatasetV2", { types: csvTypes }, (node) => {
  const dtypes = node.types("output_types");
  return (context): (() => Pull) => {
    const paths = textsOf(tensorAt(context.inputs, 0));
    const compression = compressionOf(textsOf(tensorAt(context.inputs, INPUT.compression))[0] ?? "");
    const columns = columnsOf(dtypes, context);
    return () => {
      let at = 0;
      let bytes: FileBytes | undefined;
      return async (step) => {
        for (let path = paths[at]; path !== undefined; path = paths[at]) {
          if (bytes === undefined) {
            bytes = new FileBytes(path, compression);
            if (columns.hasHeader && (await nextRecord(bytes, columns, step)) === undefined) {
              throw invalidArgument(`Can't read header of file ${path}`);
            }
          }
          const record = await nextRecord(bytes, columns, step);
          if (record !== undefined) {
            return elementOf(record, columns);
          }
          bytes = undefined;
          at += 1;
        }
        return undefined;
      };
    };
  };
});

/** Datasets of comma-separated values. */
export const csvDatasetKernels: readonly StatefulKernelDefinition[] = [csvKernel];
