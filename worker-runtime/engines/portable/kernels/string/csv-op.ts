import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { costOfReading } from "../kernel-cost.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { cppTypeName, floatTypes, indexTypes } from "../support/dtypes.js";
import { inputAt, newLongs, newNumbers, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { parseNumber } from "./number-ops.js";

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The format of the records. */
export interface Dialect {
  readonly delimiter: number;
  readonly quotes: boolean;
}

/** The fields of one record. @throws TensorFlowError INVALID_ARGUMENT for misplaced quotes. */
export function fieldsOf(record: Uint8Array, { delimiter, quotes }: Dialect): Uint8Array[] {
  const fields: Uint8Array[] = [];
  if (record.length === 0) {
    return fields;
  }
  let at = 0;
  for (let more = true; more; ) {
    if (quotes && record[at] === QUOTE) {
      const [field, end] = quotedField(record, at, delimiter);
      fields.push(field);
      at = end;
    } else {
      const start = at;
      for (; at < record.length && record[at] !== delimiter; at += 1) {
        const byte = record[at];
        if ((quotes && byte === QUOTE) || byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          throw invalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
        }
      }
      fields.push(record.subarray(start, at));
    }
    // A trailing delimiter is followed by an empty field.
    more = at < record.length;
    at += 1;
  }
  return fields;
}

/** A quoted field, and the index after it. */
function quotedField(record: Uint8Array, start: number, delimiter: number): [field: Uint8Array, end: number] {
  const bytes: number[] = [];
  let at = start + 1;
  while (at < record.length) {
    const byte = record[at] ?? 0;
    if (byte === QUOTE) {
      if (at + 1 === record.length || record[at + 1] === delimiter) {
        return [Uint8Array.from(bytes), at + 1];
      }
      if (record[at + 1] !== QUOTE) {
        throw invalidArgument("Quote inside a string has to be escaped by another quote");
      }
      at += 1;
    }
    bytes.push(byte);
    at += 1;
  }
  throw invalidArgument("Quoted field has to end with quote followed by delim or end");
}

/**
 * One column: its dtype, and its default if it has one.
 * @throws TensorFlowError INVALID_ARGUMENT for a field that is not a number, or is missing without a default.
 */
export function columnOf(
  dtype: DType,
  shape: readonly number[],
  fields: readonly (Uint8Array | undefined)[],
  defaults: Tensor,
  column: number,
): Tensor {
  const fallback = defaults.data[0];
  const missing = (record: number) =>
    invalidArgument(`Field ${column} is required but missing in record ${record}!`);
  if (dtype === "string") {
    const strings = fields.map((field, record) => {
      const value = field ?? fallback;
      if (!(value instanceof Uint8Array)) {
        throw missing(record);
      }
      return value;
    });
    return new Tensor(dtype, shape, strings);
  }
  const values = fields.map((field, record) => {
    if (field === undefined) {
      if (fallback === undefined || fallback instanceof Uint8Array) {
        throw missing(record);
      }
      return fallback;
    }
    try {
      return parseNumber(field, dtype);
    } catch (cause) {
      const text = Buffer.from(field).toString("utf8");
      throw invalidArgument(
        `Field ${column} in record ${record} is not a valid ${cppTypeName(dtype)}: ${text}`,
        {
          cause,
        },
      );
    }
  });
  if (dtypeKind(dtype) === "long") {
    const longs = newLongs(dtype, shape);
    for (const [index, value] of values.entries()) {
      longs[index] = BigInt(value);
    }
    return new Tensor(dtype, shape, longs);
  }
  const numbers = newNumbers(dtype, shape);
  for (const [index, value] of values.entries()) {
    numbers[index] = Number(value);
  }
  return new Tensor(dtype, shape, numbers);
}

function decode(node: KernelNode, inputs: readonly Tensor[], dialect: Dialect): readonly Tensor[] {
  const dtypes = node.types("OUT_TYPE");
  const selected = node.ints("select_cols");
  const notAvailable = Buffer.from(node.bytes("na_value"));
  const records = inputAt(inputs, 0);
  const defaults = inputs.slice(1);
  for (const [column, one] of defaults.entries()) {
    if (one.shape.length > 1 || one.size > 1) {
      throw invalidArgument(
        `There should only be 1 default per field but field ${column} has shape ${cppShapeText(one.shape)}`,
      );
    }
  }
  const rows = stringsOf(records).map((record, index) => {
    const all = fieldsOf(record, dialect);
    if (selected.length === 0 && all.length !== dtypes.length) {
      throw invalidArgument(`Expect ${dtypes.length} fields but have ${all.length} in record ${index}`);
    }
    const fields = selected.length === 0 ? all : selected.flatMap((column) => all.slice(column, column + 1));
    if (fields.length !== dtypes.length) {
      throw invalidArgument(`Expect ${dtypes.length} fields but have ${fields.length} in record ${index}`);
    }
    // An empty field, or one equal to na_value, gets the default.
    return fields.map((field) => (field.length === 0 || notAvailable.equals(field) ? undefined : field));
  });
  return dtypes.map((dtype, column) =>
    columnOf(
      dtype,
      records.shape,
      rows.map((row) => row[column]),
      inputAt(defaults, column),
      column,
    ),
  );
}

/** DecodeCSV: one tensor per column of a tensor of records (RFC 4180, one record per string). */
export const csvKernel: PureKernelDefinition = pureKernel(
  "DecodeCSV",
  (node) => {
    const [delimiter, second] = node.bytes("field_delim");
    if (delimiter === undefined || second !== undefined) {
      throw invalidArgument("field_delim should be only 1 char");
    }
    const selected = node.ints("select_cols");
    if (selected.some((column, index) => column < 0 || column <= (selected[index - 1] ?? -1))) {
      throw invalidArgument("select_cols should be strictly increasing indices of at least 0");
    }
    const dialect = { delimiter, quotes: node.bool("use_quote_delim") };
    return (inputs) => decode(node, inputs, dialect);
  },
  // Each record becomes a list, and each field an object.
  {
    types: { OUT_TYPE: [...floatTypes, ...indexTypes, "string"] },
    cost: (_, inputs) => 4 * costOfReading(inputs),
  },
);
