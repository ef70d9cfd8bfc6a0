/** Whether a feature of a TFRecord file fits a placeholder, as far as dtypes and numbers of values tell. */
import type { FeedBatches, FeedRecords, FeedValue } from "../../main/api/feeds.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import { placeholderShape, shapesFit, wantedShapeText } from "./feed-fit.js";

const words = texts.document.recordFit;

type FileFeed = Exclude<FeedValue, { kind: "literal" }>;
type Feature = FeedRecords["features"][number];

/** The feature that a feed takes; undefined if it names none of several, or one that there is not. */
export function chosenFeature({ column }: FileFeed, { features }: FeedRecords): Feature | undefined {
  if (column !== undefined) return features.find(({ name }) => name === String(column));
  return features.length === 1 ? features[0] : undefined;
}

/** A record's values as the application converts them. */
export function featureSpec(node: NodeDef, { feature }: FileFeed, { kinds }: Feature) {
  const [first] = kinds;
  const inner = placeholderShape(node)?.slice(1);
  const declared = feature?.shape ?? (inner?.every((size) => size >= 0) ? inner : undefined);
  const length = first?.length ?? 1;
  return {
    dtype: feature?.dtype ?? first?.dtype ?? "float32",
    shape: declared ?? (length === 1 ? [] : [length]),
  };
}

/** Why the records do not fit, as a sentence that names the first such record; undefined if they do. */
export function recordsMismatch(
  node: NodeDef,
  feed: FileFeed,
  records: FeedRecords,
  batches: FeedBatches,
): string | undefined {
  const chosen = chosenFeature(feed, records);
  if (!chosen) return missingFeature(feed, records);
  const { dtype, shape } = featureSpec(node, feed, chosen);
  return (
    firstOdd(chosen, feed, dtype, shape) ??
    dtypeMismatch(node, dtype) ??
    shapeMismatch(node, feed, [feed.batched ? batches.size : records.records, ...shape], records, batches)
  );
}

function missingFeature({ column }: FileFeed, { records, features }: FeedRecords): string {
  if (records === 0) return words.empty;
  const names = features.map(({ name }) => name).join(", ");
  return column === undefined
    ? words.severalFeatures({ names })
    : words.noFeature({ name: String(column), names });
}

/** The problem of the first record that has something else, or nothing, for the feature. */
function firstOdd(
  { name, kinds, missing }: Feature,
  { feature }: FileFeed,
  dtype: string,
  shape: readonly number[],
): string | undefined {
  const count = shape.reduce((product, size) => product * size, 1);
  const odd = kinds.find((kind) => kind.dtype !== dtype || kind.length !== count);
  if (missing && feature?.default === undefined && missing.first < (odd?.first ?? Number.POSITIVE_INFINITY)) {
    return words.missing({ record: missing.first, feature: name });
  }
  if (!odd) return undefined;
  return odd.dtype === dtype
    ? words.wrongCount({
        record: odd.first,
        given: odd.length,
        feature: name,
        shape: shape.join(", "),
        wanted: count,
      })
    : words.wrongKind({ record: odd.first, given: odd.dtype, feature: name, wanted: dtype });
}

function dtypeMismatch(node: NodeDef, dtype: string): string | undefined {
  const declared = node.attr.get("dtype")?.value;
  if (declared?.$case !== "type") return undefined;
  const wanted = dtypeOf(declared.value);
  return (wanted === "string") === (dtype === "string")
    ? undefined
    : words.wrongDtype({ given: dtype, node: node.name, wanted });
}

function shapeMismatch(
  node: NodeDef,
  { batched }: FileFeed,
  given: readonly number[],
  { isComplete }: FeedRecords,
  { size }: FeedBatches,
): string | undefined {
  const wanted = placeholderShape(node);
  // How many records a long file has is only known when it is read.
  if (!wanted || shapesFit(batched || isComplete ? given : [wanted[0] ?? -1, ...given.slice(1)], wanted))
    return undefined;
  const told = { given: given.join(", "), node: node.name, wanted: wantedShapeText(wanted) };
  return batched ? words.wrongShapeInBatches({ ...told, size }) : words.wrongShape(told);
}
