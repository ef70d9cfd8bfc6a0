/** One feature of all records of a TFRecord file as one tensor, as tf.io.FixedLenFeature gives it. */
import { UNKNOWN_DIMENSION } from "../../graph/shape.js";
import { didYouMean } from "../../graph/similar-names.js";
import { type DType, dtypeKind } from "../../protocol/dtype.js";
import { elementsOfShape, shapeText } from "../../protocol/shape.js";
import { invalidArgument, notFound, TensorFlowError } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { TensorValue } from "../../protocol/tensor-values.js";
import { type FeatureDType, type FeatureValues, featuresOf } from "./example.js";

/** How a feature is read; what is left out is as the first record that has the feature says. */
export interface FixedLenFeature {
  readonly dtype?: FeatureDType | undefined;
  /** The shape of one record's values. Sizes of -1 are as the first record says. */
  readonly shape?: readonly number[] | undefined;
  /** For records without the feature: of its shape, or a single element for all; without it they are an error. */
  readonly defaultValue?: Tensor | TensorValue | undefined;
}

/** As a FixedLenFeature, with a default value that takes the dtype of the feature once that is known. */
export interface ColumnFeature extends Pick<FixedLenFeature, "dtype" | "shape"> {
  readonly defaults?: ((dtype: FeatureDType | undefined) => Tensor) | undefined;
}

interface Known {
  readonly dtype: FeatureDType;
  readonly shape: readonly number[];
  /** Elements of the shape. */
  readonly count: number;
}

type Elements = readonly number[] | readonly bigint[] | readonly Uint8Array[];

const FIRST_CAPACITY = 1024;

/** Collects one feature, record by record. */
export class FeatureColumn {
  readonly #file: string;
  readonly #feature: ColumnFeature;
  #name: string | undefined;
  /** The shape that all records have; known with the first one that has the feature. */
  #known: Known | undefined;
  #numbers: Float32Array | BigInt64Array | undefined;
  readonly #texts: Uint8Array[] = [];
  #defaults: Elements | undefined;
  /** Records before the first one that has the feature. */
  #before = 0;
  #records = 0;

  /** @param name may be left out if the first record has only one feature */
  constructor(file: string, name: string | undefined, feature: ColumnFeature = {}) {
    this.#file = file;
    this.#name = name;
    this.#feature = feature;
  }

  /** Adds a record. @throws TensorFlowError with its number if it has no Example, or another number or dtype of values */
  push(record: Uint8Array): void {
    this.#records += 1;
    const features = this.#of(() => featuresOf(record));
    this.#name ??= this.#onlyName(features);
    const values = features.get(this.#name);
    if (values === undefined) this.#pushDefault(features);
    else this.#of(() => this.#pushValues(values));
  }

  /** @throws TensorFlowError INVALID_ARGUMENT if there was no record, or none that tells dtype and shape */
  finish(): Tensor {
    if (this.#records === 0) throw invalidArgument(`"${this.#file}" has no records.`);
    this.#fillBefore(this.#known ?? this.#knownOfDefault());
    const { dtype, shape, count } = this.#known ?? this.#knownOfDefault();
    const whole = [this.#records, ...shape];
    if (dtype === "string") return new Tensor(dtype, whole, this.#texts);
    const numbers = this.#numbers ?? new Float32Array(0);
    return new Tensor(dtype, whole, numbers.slice(0, this.#records * count));
  }

  #of<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TensorFlowError)) throw error;
      throw new TensorFlowError(error.code, `"${this.#file}", record ${this.#records}: ${error.message}`, {
        cause: error,
      });
    }
  }

  #onlyName(features: ReadonlyMap<string, FeatureValues>): string {
    const [name, ...more] = features.keys();
    if (name !== undefined && more.length === 0) return name;
    throw notFound(`"${this.#file}" has several features, so one must be named. ${listed(features)}`);
  }

  #pushDefault(features: ReadonlyMap<string, FeatureValues>): void {
    const name = this.#name ?? "";
    if (this.#feature.defaults === undefined) {
      throw notFound(
        `"${this.#file}", record ${this.#records}: it has no feature "${name}", and no default value is given. ` +
          `${listed(features)}${didYouMean(name, [...features.keys()])}`,
      );
    }
    if (this.#known === undefined) {
      this.#before += 1;
      return;
    }
    this.#defaults ??= this.#defaultElements(this.#known);
    this.#append(this.#defaults, this.#records - 1);
  }

  #pushValues({ dtype, values }: FeatureValues): void {
    const wanted = this.#feature.dtype ?? this.#known?.dtype ?? dtype;
    if (dtype !== wanted) throw invalidArgument(`"${this.#name}" has ${dtype} values, not ${wanted}.`);
    if (this.#known === undefined) {
      this.#fillBefore(this.#know(dtype, recordShape(this.#feature.shape, values.length)));
    }
    const { shape = [], count = 0 } = this.#known ?? {};
    if (values.length !== count) {
      throw invalidArgument(
        `"${this.#name}" has ${valuesText(values.length)}, but shape ${shapeText(shape)} takes ${count}.`,
      );
    }
    this.#append(values, this.#records - 1);
  }

  #know(dtype: FeatureDType, shape: readonly number[]) {
    this.#known = { dtype, shape, count: elementsOfShape(shape) };
    return this.#known;
  }

  #knownOfDefault() {
    const { defaults, dtype, shape } = this.#feature;
    const value = defaults?.(dtype);
    return this.#know(dtype ?? featureDType(value?.dtype ?? "float32"), recordShape(shape, value?.size ?? 1));
  }

  #fillBefore(known: Known): void {
    if (this.#before === 0) return;
    this.#defaults ??= this.#defaultElements(known);
    for (let row = 0; row < this.#before; row += 1) this.#append(this.#defaults, row);
    this.#before = 0;
  }

  #defaultElements({ dtype, shape, count }: Known): Elements {
    const value = this.#feature.defaults?.(dtype) ?? new Tensor("float32", [0], new Float32Array(0));
    const elements = Array.from(value.data as ArrayLike<number>);
    if (value.dtype !== dtype || (elements.length !== count && elements.length !== 1)) {
      throw invalidArgument(
        `The default value of "${this.#name}" is ${value.dtype} ${shapeText(value.shape)}, ` +
          `but ${dtype} ${shapeText(shape)} is wanted.`,
      );
    }
    return elements.length === count ? elements : new Array<number>(count).fill(elements[0] ?? 0);
  }

  /** Stores the values of a row, the rows before it are stored. */
  #append(elements: Elements, row: number): void {
    if (this.#known?.dtype === "string") {
      for (const text of elements) this.#texts.push(text as Uint8Array);
      return;
    }
    const at = row * elements.length;
    let numbers = this.#numbers;
    if (numbers === undefined || numbers.length < at + elements.length) {
      const capacity = Math.max(2 * (numbers?.length ?? 0), at + elements.length, FIRST_CAPACITY);
      const larger =
        this.#known?.dtype === "int64" ? new BigInt64Array(capacity) : new Float32Array(capacity);
      // Both kinds of arrays are filled in the same way; the cast only gives them one type.
      (larger as Float32Array).set((numbers ?? []) as Float32Array);
      numbers = larger;
      this.#numbers = larger;
    }
    (numbers as Float32Array).set(elements as readonly number[], at);
  }
}

/** The kind of list in which an Example holds values of a dtype. */
function featureDType(dtype: DType): FeatureDType {
  if (dtype === "string") return dtype;
  return dtypeKind(dtype) === "float" || dtypeKind(dtype) === "bits" ? "float32" : "int64";
}

/** The shape of a record's values: as declared, with an unknown size computed; else a vector, or a single element. */
function recordShape(declared: readonly number[] | undefined, count: number): readonly number[] {
  const unknown = declared?.filter((size) => size === UNKNOWN_DIMENSION).length ?? 0;
  if (declared !== undefined && unknown === 0) return declared;
  if (declared !== undefined && unknown === 1) {
    const known = declared.reduce(
      (product, size) => (size === UNKNOWN_DIMENSION ? product : product * size),
      1,
    );
    if (known > 0 && count % known === 0)
      return declared.map((size) => (size === UNKNOWN_DIMENSION ? count / known : size));
  }
  return count === 1 ? [] : [count];
}

function listed(features: ReadonlyMap<string, FeatureValues>): string {
  return features.size === 0 ? "It has no features." : `It has ${[...features.keys()].join(", ")}.`;
}

function valuesText(count: number): string {
  return count === 1 ? "1 value" : `${count} values`;
}

/**
 * Features of examples as tensors whose first dimension counts the examples, as tf.io.parse_example with
 * FixedLenFeature.
 * @param examples serialized ones, at least one
 * @throws TensorFlowError with the number of the example that does not fit, from 1
 */
export function parseExamples(
  examples: Iterable<Uint8Array>,
  features: Readonly<Record<string, FixedLenFeature>>,
): Record<string, Tensor> {
  const columns = Object.entries(features).map(([name, { defaultValue: given, ...feature }]) => {
    const defaults = (dtype: FeatureDType | undefined) =>
      given instanceof Tensor ? given : Tensor.of(given ?? [], dtype);
    return [
      name,
      new FeatureColumn("examples", name, given === undefined ? feature : { ...feature, defaults }),
    ] as const;
  });
  for (const example of examples) for (const [, column] of columns) column.push(example);
  return Object.fromEntries(columns.map(([name, column]) => [name, column.finish()]));
}
