/** How a feature of a TFRecord file is read: its dtype, its shape, and what records without it get. */
import { type ReactElement, useId } from "react";
import type { FeedFeature, FeedRecords, FeedValue } from "../../main/api/feeds.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { LiteralError, parseLiteral } from "../document/literal.js";
import { chosenFeature, featureSpec } from "../document/record-fit.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { shapeText } from "../ui/format.js";
import { SelectFrame } from "./input-frame.js";
import { PropertyRow } from "./property-row.js";
import { Note } from "./section.js";
import { TextField } from "./text-field.js";

const words = texts.parts.feedFeature;

interface FeedFeatureProps {
  readonly node: NodeDef;
  readonly tensor: string;
  readonly feed: Exclude<FeedValue, { kind: "literal" }>;
  readonly records: FeedRecords;
}

const DTYPES = ["float32", "int64", "string"] as const;

export function FeedFeatureFields({ node, tensor, feed, records }: FeedFeatureProps): ReactElement {
  const ids = { dtype: useId(), shape: useId(), fallback: useId() };
  const { feature = {} } = feed;
  const chosen = chosenFeature(feed, records);
  const spec = chosen && featureSpec(node, feed, chosen);
  const change = (changed: FeedFeature): undefined => {
    const { feature: _, ...rest } = feed;
    const isGiven = Object.values(changed).some((value) => value !== undefined);
    documentActions.setFeed(tensor, isGiven ? { ...rest, feature: changed } : rest);
    return undefined;
  };
  return (
    <>
      <PropertyRow>
        <span id={ids.dtype}>{words.type}</span>
        <SelectFrame>
          <select
            aria-labelledby={ids.dtype}
            value={feature.dtype ?? ""}
            onChange={({ target }) => {
              const { dtype: _, ...rest } = feature;
              const dtype = DTYPES.find((one) => one === target.value);
              change(dtype === undefined ? rest : { ...rest, dtype });
            }}
          >
            <option value="">
              {chosen?.kinds[0] ? words.asInFileWith({ dtype: chosen.kinds[0].dtype }) : words.asInFile}
            </option>
            {DTYPES.map((dtype) => (
              <option key={dtype} value={dtype}>
                {dtype}
              </option>
            ))}
          </select>
        </SelectFrame>
      </PropertyRow>
      <PropertyRow>
        <span id={ids.shape}>{words.shape}</span>
        <TextField
          value={feature.shape === undefined ? "" : shapeText(feature.shape)}
          labelledBy={ids.shape}
          placeholder={spec ? shapeText(spec.shape) : words.ofOneRecord}
          commit={(text) => {
            const { shape: _, ...rest } = feature;
            return change(text.trim() === "" ? rest : { ...rest, shape: shapeOf(text) });
          }}
        />
      </PropertyRow>
      <PropertyRow>
        <span id={ids.fallback}>{words.default}</span>
        <TextField
          value={feature.default ?? ""}
          labelledBy={ids.fallback}
          placeholder={words.noDefault}
          commit={(text) => {
            const { default: _, ...rest } = feature;
            if (text.trim() === "") return change(rest);
            parseLiteral(text);
            return change({ ...rest, default: text });
          }}
        />
      </PropertyRow>
      <Note>
        {[
          (records.isComplete ? words.complete : words.incomplete)({ records: records.records }),
          ...(chosen?.missing
            ? [words.missing({ count: chosen.missing.records, feature: chosen.name })]
            : []),
          ...(spec ? [words.each({ dtype: spec.dtype, shape: shapeText(spec.shape) })] : []),
        ].join(", ")}
      </Note>
    </>
  );
}

/** "[2, 3]", "2, 3" or "[]". @throws LiteralError */
function shapeOf(text: string): number[] {
  const inner = text
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .trim();
  const sizes = inner === "" ? [] : inner.split(",").map((size) => Number(size.trim() || "x"));
  if (sizes.length > 16 || sizes.some((size) => !Number.isSafeInteger(size) || size < 0)) {
    throw new LiteralError(words.wrongShape);
  }
  return sizes;
}
