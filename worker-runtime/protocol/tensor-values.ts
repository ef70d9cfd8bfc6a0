import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { type DType, dtypeKind, integerRange } from "./dtype.js";
import { elementsOfShape, shapeText } from "./shape.js";
import { bitsFromNumber } from "./small-float.js";
import { invalidArgument } from "./status.js";
import {
  arrayConstructor,
  elementCount,
  entriesPerElement,
  isByteList,
  type NumericArray,
  type TensorData,
} from "./tensor-data.js";

export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** One element as a JavaScript value. A Uint8Array is one element only if the dtype is string. */
export type TensorElement = number | bigint | boolean | string | Complex | Uint8Array;

/** The value of a tensor: one element, nested arrays (all of one length per level), or typed arrays. */
export type TensorValue = TensorElement | NumericArray | readonly TensorValue[];

export interface Elements {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

function isNumericArray(value: TensorValue): value is NumericArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function isList(value: TensorValue): value is readonly TensorValue[] {
  return Array.isArray(value);
}

const dtypeByArray: ReadonlyArray<readonly [abstract new (...args: never) => object, DType]> = [
  [Float32Array, "float32"],
  [Float64Array, "float64"],
  [Int8Array, "int8"],
  [Int16Array, "int16"],
  [Int32Array, "int32"],
  [BigInt64Array, "int64"],
  [Uint8Array, "uint8"],
  [Uint16Array, "uint16"],
  [Uint32Array, "uint32"],
  [BigUint64Array, "uint64"],
];

function naturalDType(value: TensorValue): DType {
  if (isList(value)) {
    const first = value[0];
    return first === undefined ? "float32" : naturalDType(first);
  }
  switch (typeof value) {
    case "number":
      return "float32";
    case "bigint":
      return "int64";
    case "boolean":
      return "bool";
    case "string":
      return "string";
  }
  const array = dtypeByArray.find(([arrayType]) => value instanceof arrayType);
  return array?.[1] ?? "complex64";
}

function describe(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
      ? "an object"
      : String(value);
}

function refuse(element: unknown, dtype: DType, why = ""): never {
  const form = dtype.startsWith("complex") ? "; write { re: 1, im: 2 } or a number" : "";
  throw invalidArgument(`${describe(element)} cannot be an element of a ${dtype} tensor${why}${form}.`);
}

function realOf(element: TensorElement, dtype: DType): number {
  if (typeof element === "number") {
    return element;
  }
  return typeof element === "bigint" ? Number(element) : refuse(element, dtype);
}

function wholeOf(element: TensorElement, dtype: DType): bigint {
  if (typeof element !== "bigint" && typeof element !== "number") {
    return refuse(element, dtype);
  }
  if (typeof element === "number" && !Number.isInteger(element)) {
    return refuse(element, dtype, ", which holds whole numbers");
  }
  if (typeof element === "number" && !Number.isSafeInteger(element)) {
    return refuse(element, dtype, " exactly; write it as a bigint");
  }
  const whole = BigInt(element);
  const range = integerRange(dtype);
  if (range !== undefined && (whole < range.min || whole > range.max)) {
    return refuse(element, dtype, `, whose values go from ${range.min} to ${range.max}`);
  }
  return whole;
}

/** Writes one element at `index` (counted in elements). */
type Store = (index: number, element: TensorElement) => void;

function numericStore(dtype: DType, data: NumericArray): Store {
  // The arrays' element types differ; each branch below writes the element type of its dtype's array.
  const numbers = data as Float64Array;
  const longs = data as BigInt64Array | BigUint64Array;
  const range = integerRange(dtype);
  const smallest = Number(range?.min ?? 0n);
  const largest = Number(range?.max ?? 0n);
  switch (dtypeKind(dtype)) {
    case "bits":
      return (index, element) => {
        numbers[index] = bitsFromNumber(dtype, realOf(element, dtype));
      };
    case "int":
    case "uint":
      return (index, element) => {
        const quick =
          typeof element === "number" &&
          Number.isInteger(element) &&
          element >= smallest &&
          element <= largest;
        numbers[index] = quick ? element : Number(wholeOf(element, dtype));
      };
    case "long":
      return (index, element) => {
        longs[index] = wholeOf(element, dtype);
      };
    case "bool":
      return (index, element) => {
        const whole = typeof element === "bigint" ? Number(element) : element;
        if (whole !== true && whole !== false && whole !== 0 && whole !== 1) {
          refuse(element, dtype, ": only true, false, 0 and 1 can");
        }
        numbers[index] = whole ? 1 : 0;
      };
    case "complex":
      return (index, element) => {
        const isPair = typeof element === "object" && "re" in element;
        numbers[2 * index] = isPair ? element.re : realOf(element, dtype);
        numbers[2 * index + 1] = isPair ? element.im : 0;
      };
    default:
      return (index, element) => {
        numbers[index] = realOf(element, dtype);
      };
  }
}

function bytesOfElement(element: TensorElement, dtype: DType): Uint8Array {
  if (element instanceof Uint8Array) {
    return element;
  }
  if (typeof element !== "string" || dtype !== "string") {
    return refuse(element, dtype);
  }
  return getTextEncoding().encodeUtf8(element);
}

/** The shape of nested arrays, judged by the first element of each level. */
function shapeOf(value: TensorValue, dtype: DType): number[] {
  if (isList(value)) {
    const first = value[0];
    return [value.length, ...(first === undefined ? [] : shapeOf(first, dtype))];
  }
  if (isNumericArray(value) && arrayConstructor(dtype) !== undefined) {
    return [value.length / (isRaw(value, dtype) ? entriesPerElement(dtype) : 1)];
  }
  return [];
}

/** True if the array is the memory of the dtype itself, such as the raw bits of float16 in a Uint16Array. */
function isRaw(array: NumericArray, dtype: DType): boolean {
  const arrayType = arrayConstructor(dtype);
  return arrayType !== undefined && array instanceof arrayType;
}

function fillFrom(value: TensorValue, shape: readonly number[], dtype: DType, data: TensorData): void {
  const bytes = isByteList(data) ? (data as Uint8Array[]) : undefined;
  const store: Store = isByteList(data)
    ? (index, element) => {
        if (bytes !== undefined) {
          bytes[index] = bytesOfElement(element, dtype);
        }
      }
    : numericStore(dtype, data);
  let next = 0;
  const ragged = (): never => {
    throw invalidArgument(
      `The nested arrays are not all of one length: after the first of each level ${shapeText(shape)} was expected.`,
    );
  };
  const visit = (part: TensorValue, level: number): void => {
    if (isList(part)) {
      if (level >= shape.length || part.length !== shape[level]) {
        ragged();
      }
      for (const inner of part) {
        visit(inner, level + 1);
      }
      return;
    }
    if (isNumericArray(part) && bytes === undefined && !isByteList(data)) {
      if (level !== shape.length - 1 || shapeOf(part, dtype)[0] !== shape[level]) {
        ragged();
      }
      if (isRaw(part, dtype)) {
        const entries = entriesPerElement(dtype);
        (data as Float64Array).set(part as Float64Array, next * entries);
        next += part.length / entries;
        return;
      }
      for (const element of part) {
        store(next, element);
        next += 1;
      }
      return;
    }
    if (level !== shape.length) {
      ragged();
    }
    store(next, part as TensorElement);
    next += 1;
  };
  visit(value, 0);
}

function emptyData(dtype: DType, count: number): TensorData {
  const arrayType = arrayConstructor(dtype);
  return arrayType === undefined
    ? new Array<Uint8Array>(count)
    : new arrayType(count * entriesPerElement(dtype));
}

function repeat(dtype: DType, one: TensorData, count: number): TensorData {
  if (isByteList(one)) {
    return new Array<Uint8Array>(count).fill(one[0] ?? new Uint8Array(0));
  }
  const all = emptyData(dtype, count) as Float64Array;
  if (entriesPerElement(dtype) === 1) {
    return all.fill((one as Float64Array)[0] ?? 0);
  }
  for (let i = 0; i < count; i += 1) {
    all.set(one as Float64Array, 2 * i);
  }
  return all;
}

/**
 * The elements of a JavaScript value. Without `dtype`: numbers are float32, bigints int64, booleans bool, strings string
 * (UTF-8), `{re, im}` complex64, typed arrays their own dtype. A typed array that already is the memory of the dtype is
 * used without a copy. With `shape` the elements get that shape; a single element fills it.
 * @throws TensorFlowError INVALID_ARGUMENT for ragged arrays, elements that the dtype cannot hold, or a wrong shape.
 */
export function elementsOf(
  value: TensorValue,
  dtypeWanted?: DType,
  shapeWanted?: readonly number[],
): Elements {
  const dtype = dtypeWanted ?? naturalDType(value);
  const wanted = shapeWanted === undefined ? undefined : [...shapeWanted];
  let shape = shapeOf(value, dtype);
  let data: TensorData;
  if (isNumericArray(value) && isRaw(value, dtype)) {
    if (!Number.isInteger(elementCount(dtype, value))) {
      throw invalidArgument(`${value.length} numbers are not pairs of real and imaginary parts.`);
    }
    data = value;
  } else {
    const made = emptyData(dtype, elementsOfShape(shape));
    fillFrom(value, shape, dtype, made);
    data = made;
  }
  if (wanted !== undefined) {
    const count = elementsOfShape(wanted);
    const held = elementCount(dtype, data);
    if (held !== count) {
      if (shape.length !== 0) {
        throw invalidArgument(
          `${held} elements cannot have the shape ${shapeText(wanted)}, which has ${count}.`,
        );
      }
      data = repeat(dtype, data, count);
    }
    shape = wanted;
  }
  return { dtype, shape, data };
}
