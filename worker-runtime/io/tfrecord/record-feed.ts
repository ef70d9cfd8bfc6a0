import type { DType } from "../../protocol/dtype.js";
import { TensorFlowError } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { TensorData } from "../../protocol/tensor-data.js";
import { convertTensor } from "../convert.js";
import { tensorFromText } from "../literal.js";
import type { FeatureDType } from "./example.js";
import { FeatureColumn } from "./feature-column.js";

/** How a feature is fed, as tf.io.FixedLenFeature; what is left out is as the target and the records say. */
export interface FeedFeature {
  readonly dtype?: FeatureDType | undefined;
  /** The shape of one record's values. */
  readonly shape?: readonly number[] | undefined;
  /** The value of records without the feature, as a text; a single element is taken for all of the shape. */
  readonly default?: string | undefined;
}

export interface RecordFeedOptions {
  /** The feature's name; needed if records have several. */
  readonly column?: string | number | undefined;
  readonly feature?: FeedFeature | undefined;
  /** The shape of the target, whose first dimension counts the records. */
  readonly shape?: readonly number[] | undefined;
  readonly dtype?: DType | undefined;
}

/** Collects one feature of a TFRecord file as the value of a tensor. */
export class RecordFeed {
  readonly #file: string;
  readonly #column: FeatureColumn;
  readonly #dtype: DType | undefined;

  /** @param file its name, for errors */
  constructor(file: string, { column, feature, shape, dtype }: RecordFeedOptions) {
    const text = feature?.default;
    this.#file = file;
    this.#dtype = dtype;
    this.#column = new FeatureColumn(file, column === undefined ? undefined : String(column), {
      dtype: feature?.dtype,
      shape: feature?.shape ?? shape?.slice(1),
      ...(text === undefined ? {} : { defaults: (wanted) => tensorFromText(text, wanted) }),
    });
  }

  /** @throws TensorFlowError with the number of a record that does not fit */
  push(record: Uint8Array): void {
    this.#column.push(record);
  }

  /**
   * The values of all records, [records, ...shape], in the target's dtype.
   * @throws TensorFlowError with the number of the first record whose values the dtype cannot hold
   */
  finish(): Tensor {
    const tensor = this.#column.finish();
    const dtype = this.#dtype ?? tensor.dtype;
    try {
      return convertTensor(tensor, dtype);
    } catch (error) {
      const [records = 0, ...shape] = tensor.shape;
      const width = tensor.data.length / records;
      for (let record = 0; record < records; record += 1) {
        const data = tensor.data.slice(record * width, (record + 1) * width) as TensorData;
        this.#check(new Tensor(tensor.dtype, shape, data), dtype, record + 1);
      }
      throw error;
    }
  }

  #check(values: Tensor, dtype: DType, record: number): void {
    try {
      convertTensor(values, dtype);
    } catch (error) {
      if (!(error instanceof TensorFlowError)) throw error;
      throw new TensorFlowError(error.code, `"${this.#file}", record ${record}: ${error.message}`, {
        cause: error,
      });
    }
  }
}
