/** Where a feed's file is on the application's machine, which of its rows are fed, and what its bytes become. */
import { type ReactElement, useId } from "react";
import { type FeedContents, type FeedValue, MAX_SHARDS, type PixelRange } from "../../main/api/feeds.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dtypeKind, dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { SelectFrame } from "./input-frame.js";
import { PropertyRow } from "./property-row.js";
import { TextField } from "./text-field.js";

const words = texts.parts.feedFile;

const RANGES: Readonly<Record<PixelRange, string>> = words.ranges;

type FileFeed = Exclude<FeedValue, { kind: "literal" }>;

/** The path of a file, or of a folder of images, which no dialog of a browser gives. */
export function PathField({ tensor, feed }: { tensor: string; feed: FeedValue | undefined }): ReactElement {
  const id = useId();
  const path = feed?.kind === "file" ? feed.path : "";
  return (
    <PropertyRow>
      <span id={id}>{words.path}</span>
      <TextField
        value={path}
        labelledBy={id}
        placeholder={words.pathPlaceholder}
        commit={(text) => {
          const given = text.trim();
          if (given === "" || given === path) return undefined;
          documentActions.setFeed(
            tensor,
            feed?.kind === "file" ? { ...feed, path: given } : { kind: "file", path: given },
          );
          return undefined;
        }}
      />
    </PropertyRow>
  );
}

interface FeedRowsProps {
  readonly node: NodeDef;
  readonly tensor: string;
  readonly feed: FileFeed;
  readonly contents: FeedContents | undefined;
}

export function FeedRowsFields({ node, tensor, feed, contents }: FeedRowsProps): ReactElement {
  const id = useId();
  const { shard, range: _, ...rest } = feed;
  const array = contents?.arrays.find(({ name }) => name === feed.column) ?? contents?.arrays[0];
  const dtype = node.attr.get("dtype")?.value;
  const kind = dtype?.$case === "type" ? dtypeKind(dtypeOf(dtype.value)) : undefined;
  const isReal = kind === "float" || kind === "bits";
  return (
    <>
      {array?.dtype === "uint8" && isReal ? (
        <RangeField
          range={feed.range ?? "byte"}
          choose={(range) =>
            documentActions.setFeed(tensor, {
              ...rest,
              ...(shard && { shard }),
              ...(range !== "byte" && { range }),
            })
          }
        />
      ) : null}
      <PropertyRow>
        <span id={id}>{words.shard}</span>
        <TextField
          value={shard === undefined ? "" : words.shardOf({ number: shard.index + 1, count: shard.count })}
          labelledBy={id}
          placeholder={words.shardPlaceholder}
          commit={(text) => {
            const { shard: _before, ...whole } = feed;
            if (text.trim() === "") {
              documentActions.setFeed(tensor, whole);
              return undefined;
            }
            const given = shardOfText(text);
            if (given === undefined) return words.wrongShard;
            documentActions.setFeed(tensor, { ...whole, shard: given });
            return undefined;
          }}
        />
      </PropertyRow>
    </>
  );
}

/** "1 of 2" or "1/2", counted from 1. */
function shardOfText(text: string): { readonly count: number; readonly index: number } | undefined {
  const [number = 0, count = 0, more] = text.match(/\d+/g)?.map(Number) ?? [];
  if (more !== undefined || number < 1 || number > count || count > MAX_SHARDS) return undefined;
  return { count, index: number - 1 };
}

/** The range of a byte's 256 values. */
export function RangeField({
  range,
  choose,
}: {
  range: PixelRange;
  choose: (range: PixelRange) => void;
}): ReactElement {
  const id = useId();
  return (
    <PropertyRow>
      <span id={id}>{words.values}</span>
      <SelectFrame>
        <select
          aria-labelledby={id}
          value={range}
          onChange={({ target: { value } }) =>
            choose(value === "signed" || value === "byte" ? value : "unit")
          }
        >
          {Object.entries(RANGES).map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </SelectFrame>
    </PropertyRow>
  );
}
