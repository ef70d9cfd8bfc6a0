import type { DType } from "../../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { mapped, type PausingWork } from "../../../pauses.js";
import { cppTypeName } from "../../support/dtypes.js";

/** A column of the file; -1 is the line number, -2 the whole line. */
export type ColumnIndex = number;

const LINE_NUMBER = -1;
const WHOLE_LINE = -2;

export interface TextFileOptions {
  /** For error messages. */
  readonly path: string;
  readonly keyIndex: ColumnIndex;
  readonly valueIndex: ColumnIndex;
  /** Lines to read; -1 for all. */
  readonly vocabSize: number;
  readonly delimiter: string;
  /** Added to line numbers. */
  readonly offset: number;
}

/**
 * Parses the keys and values of a table from the lines of a text, possibly many.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words.
 */
export function* tableFromText(
  text: Buffer,
  options: TextFileOptions,
  types: { readonly keyType: DType; readonly valueType: DType },
): PausingWork<readonly [Tensor, Tensor]> {
  const { path, keyIndex, valueIndex, vocabSize } = options;
  checkColumn("Key", "table key", keyIndex, types.keyType);
  checkColumn("Value", "table value", valueIndex, types.valueType);
  // latin1 maps each byte to a character, which preserves any encoding.
  const lines = text.toString("latin1").split("\n");
  if (lines.at(-1) === "") {
    lines.pop();
  }
  if (vocabSize !== -1 && lines.length < vocabSize) {
    throw invalidArgument(`Invalid vocab_size in ${path}: expected ${vocabSize} but got ${lines.length}`);
  }
  const rows = yield* mapped(vocabSize === -1 ? lines : lines.slice(0, vocabSize), (line, number) =>
    rowOf(line.replace(/\r$/, ""), number, options),
  );
  const keys = yield* mapped(rows, ([key]) => key);
  const values = yield* mapped(rows, ([, value]) => value);
  return [yield* columnOf(types.keyType, keys), yield* columnOf(types.valueType, values)];
}

function checkColumn(which: "Key" | "Value", of: string, index: ColumnIndex, dtype: DType): void {
  if (index === LINE_NUMBER && dtype !== "int64") {
    throw invalidArgument(
      `${which} index for line number requires ${of} dtype of int64, got ${cppTypeName(dtype)}`,
    );
  }
  if (index === WHOLE_LINE && dtype !== "string" && dtype !== "int64" && dtype !== "int32") {
    throw invalidArgument(
      `${which} index for whole line requires string or integer ${of}, got ${cppTypeName(dtype)}`,
    );
  }
}

function rowOf(line: string, number: number, options: TextFileOptions): readonly [string, string] {
  const { path, keyIndex, valueIndex, delimiter, offset } = options;
  if (line === "") {
    throw invalidArgument(`Invalid content in ${path}: empty line found at line ${number}.`);
  }
  const most = Math.max(keyIndex, valueIndex);
  const columns = most < 0 ? [] : line.split(delimiter);
  if (columns.length < most + 1) {
    throw invalidArgument(
      `Invalid number of columns in ${path} line ${number} (${line}) : expected at least ${most + 1} got ${columns.length}`,
    );
  }
  const fieldAt = (index: ColumnIndex) =>
    index === LINE_NUMBER ? String(number + offset) : index === WHOLE_LINE ? line : (columns[index] ?? "");
  return [fieldAt(keyIndex), fieldAt(valueIndex)];
}

function* columnOf(dtype: DType, fields: readonly string[]): PausingWork<Tensor> {
  const shape = [fields.length];
  if (dtype === "string") {
    return new Tensor(dtype, shape, yield* mapped(fields, (field) => Buffer.from(field, "latin1")));
  }
  const refuse = (field: string, line: number) =>
    invalidArgument(`Field ${field} in line ${line} is not a valid ${cppTypeName(dtype)}.`);
  if (dtype === "int64") {
    const longs = yield* mapped(fields, (field, line) => {
      if (!/^\s*[-+]?\d+\s*$/.test(field)) {
        throw refuse(field, line);
      }
      return BigInt(field.trim().replace(/^\+/, ""));
    });
    return new Tensor(dtype, shape, BigInt64Array.from(longs));
  }
  const numbers = yield* mapped(fields, (field, line) => {
    const value = Number(field);
    if (field.trim() === "" || Number.isNaN(value)) {
      throw refuse(field, line);
    }
    return value;
  });
  return Tensor.of(numbers, dtype, shape);
}
