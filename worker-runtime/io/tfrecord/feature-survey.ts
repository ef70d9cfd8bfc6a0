/** The contents of the records of a TFRecord file, found without keeping any of them. */
import { invalidArgument } from "../../protocol/status.js";
import { type FeatureDType, featuresOf } from "./example.js";

/** Values of one dtype and number that a feature has in some records. */
export interface FeatureKind {
  readonly dtype: FeatureDType;
  /** Values of each record. */
  readonly length: number;
  readonly records: number;
  /** The first of these records, from 1. */
  readonly first: number;
}

export interface SurveyedFeature {
  readonly name: string;
  /** In the order of their first records; of many, the first ones, which suffices to find the first that does not fit. */
  readonly kinds: readonly FeatureKind[];
  /** Records without the feature. */
  readonly missing?: { readonly records: number; readonly first: number };
}

export interface RecordSurvey {
  readonly records: number;
  /** False if only the first records were looked at. */
  readonly isComplete: boolean;
  readonly features: readonly SurveyedFeature[];
}

const MAX_KINDS = 8;
const MAX_FEATURES = 1000;

/** Counts up over records. */
export class FeatureSurvey {
  readonly #name: string;
  readonly #features = new Map<
    string,
    { kinds: FeatureKind[]; present: number; missing: number | undefined }
  >();
  #records = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT for a record that is no Example */
  add(record: Uint8Array): void {
    this.#records += 1;
    let features: ReturnType<typeof featuresOf>;
    try {
      features = featuresOf(record);
    } catch (error) {
      throw invalidArgument(`"${this.#name}", record ${this.#records}: it is not a tf.train.Example.`, {
        cause: error,
      });
    }
    for (const [name, { dtype, values }] of features) {
      let feature = this.#features.get(name);
      if (feature === undefined) {
        if (this.#features.size >= MAX_FEATURES) continue;
        feature = { kinds: [], present: 0, missing: this.#records > 1 ? 1 : undefined };
        this.#features.set(name, feature);
      }
      feature.present += 1;
      const at = feature.kinds.findIndex((kind) => kind.dtype === dtype && kind.length === values.length);
      const kind = feature.kinds[at];
      if (kind) feature.kinds[at] = { ...kind, records: kind.records + 1 };
      else if (feature.kinds.length < MAX_KINDS)
        feature.kinds.push({ dtype, length: values.length, records: 1, first: this.#records });
    }
    for (const [name, feature] of this.#features) {
      if (feature.missing === undefined && !features.has(name)) feature.missing = this.#records;
    }
  }

  survey(isComplete: boolean): RecordSurvey {
    const features = [...this.#features].map(([name, { kinds, present, missing }]) => ({
      name,
      kinds,
      ...(missing === undefined ? {} : { missing: { records: this.#records - present, first: missing } }),
    }));
    return { records: this.#records, isComplete, features };
  }
}
