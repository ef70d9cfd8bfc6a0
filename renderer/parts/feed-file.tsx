/** The file or the images that a placeholder is fed. */

import { type ReactElement, useId, useRef, useState } from "react";
import type { FeedContents, FeedValue } from "../../main/api/feeds.js";
import { toProblem } from "../../main/api/wire.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { pickFile } from "../actions/file-actions.js";
import { imageFeed } from "../actions/image-feed.js";
import { feedMismatch, imageShapeOf, wantedShapeText } from "../document/feed-fit.js";
import { recordsMismatch } from "../document/record-fit.js";
import { useApp } from "../stores/app-store.js";
import { activeGraph, inSession } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { FeedFeatureFields } from "./feed-feature.js";
import styles from "./feed-file.module.css";
import { FeedRowsFields, PathField, RangeField } from "./feed-rows.js";
import { PropertyRow } from "./property-row.js";
import { Note } from "./section.js";
import { TextField } from "./text-field.js";
import { useFeedContents } from "./use-feed-contents.js";

const words = texts.parts.feedFile;

const ENDINGS = ["npy", "npz", "csv", "tsv", "tfrecord", "tfrecords", "tfrec", "gz"];
/** A larger file would be held twice in the browser's memory; the application can read it from its own disk instead. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

type FileFeed = Exclude<FeedValue, { kind: "literal" }>;

interface FeedFileProps {
  readonly node: NodeDef;
  readonly tensor: string;
  readonly feed: FeedValue | undefined;
}

export function FeedFile({ node, tensor, feed }: FeedFileProps): ReactElement {
  const native = useApp((state) => state.info?.fileDialogs === "native");
  const input = useRef<HTMLInputElement>(null);
  const images = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const labelId = useId();
  const file = feed === undefined || feed.kind === "literal" ? undefined : feed;
  const fileName = file && (file.kind === "file" ? file.path : file.name);
  const imageShape = imageShapeOf(node);

  const feedFrom = async (value: () => Promise<FeedValue | undefined>) => {
    setProblem(undefined);
    const graph = activeGraph();
    try {
      const taken = await value();
      if (taken) inSession(graph, () => documentActions.setFeed(tensor, taken));
    } catch (error) {
      setProblem(toProblem(error).message);
    }
  };
  const pick = async (): Promise<FeedValue | undefined> => {
    const path = await pickFile({ mode: "open", title: words.dialogTitle({ tensor }), extensions: ENDINGS });
    return path === undefined ? undefined : { kind: "file", path };
  };

  return (
    <>
      <PropertyRow>
        <span id={labelId}>{words.file}</span>
        <span className={styles.file}>
          <Button
            size="small"
            icon="folder"
            className={styles.choose}
            aria-describedby={labelId}
            onClick={() => (native ? void feedFrom(pick) : input.current?.click())}
          >
            {fileName === undefined ? words.choose : words.change}
          </Button>
          {imageShape ? (
            <Button size="small" aria-describedby={labelId} onClick={() => images.current?.click()}>
              {words.images}
            </Button>
          ) : null}
          {fileName === undefined ? null : (
            <span className={classNames(textStyles.monospace, textStyles.truncated)} title={fileName}>
              {fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1)}
            </span>
          )}
        </span>
        <input
          ref={input}
          type="file"
          hidden
          data-feed-file={tensor}
          accept={ENDINGS.map((ending) => `.${ending}`).join(",")}
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen) void feedFrom(() => contentOf(chosen));
            target.value = "";
          }}
        />
        {imageShape ? (
          <input
            ref={images}
            type="file"
            hidden
            multiple={imageShape.batch !== undefined && imageShape.batch !== 1}
            data-feed-images={tensor}
            accept="image/*"
            onChange={({ target }) => {
              const chosen = [...(target.files ?? [])];
              if (chosen.length > 0) void feedFrom(() => imageFeed(chosen, imageShape, node.name));
              target.value = "";
            }}
          />
        ) : null}
      </PropertyRow>
      <PathField tensor={tensor} feed={feed} />
      {problem ? (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      ) : null}
      {file?.kind === "content" && file.pixels ? <Pixels tensor={tensor} feed={file} /> : null}
      {file && !(file.kind === "content" && file.pixels) ? (
        <Contents node={node} tensor={tensor} feed={file} />
      ) : null}
    </>
  );
}

async function contentOf(file: File): Promise<FeedValue> {
  if (file.size > MAX_CONTENT_BYTES) {
    throw new Error(
      `${file.name} is larger than 256 MB. Open the app's own window and choose it from disk there.`,
    );
  }
  try {
    return { kind: "content", name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  } catch (error) {
    throw new Error(`${file.name} could not be read: ${toProblem(error).message}`, { cause: error });
  }
}

/** The tensor that images became, and the range of their values. */
function Pixels({ tensor, feed }: { tensor: string; feed: Extract<FeedValue, { kind: "content" }> }) {
  const { pixels, note } = feed;
  if (!pixels) return null;
  return (
    <>
      <RangeField
        range={pixels.range}
        choose={(range) => documentActions.setFeed(tensor, { ...feed, pixels: { ...pixels, range } })}
      />
      <Note>
        {wantedShapeText(pixels.shape)}
        {note === undefined ? "" : `, ${note}`}
      </Note>
    </>
  );
}

interface ContentsProps {
  readonly node: NodeDef;
  readonly tensor: string;
  readonly feed: FileFeed;
}

/** Which part of the file is fed, whether it fits, and whether it is fed in batches. */
function Contents({ node, tensor, feed }: ContentsProps): ReactElement {
  const columnId = useId();
  const contents = useFeedContents(feed);
  const batches = useDocument((state) => state.document.runConfig.batches);
  const name = (feed.kind === "file" ? feed.path : feed.name).toLowerCase();
  const isWhole = name.endsWith(".npy") || contents?.arrays.some((array) => array.name === undefined);
  // One that was chosen of another file can be taken back.
  const hasParts = !isWhole || feed.column !== undefined;
  const records = contents?.records;
  const isArrays =
    name.endsWith(".npz") || contents?.arrays.some((array) => array.name !== undefined) === true;
  const part = records ? "feature" : isArrays ? "array" : "column";
  const mismatch =
    contents &&
    (contents.problem?.message ??
      (records
        ? recordsMismatch(node, feed, records, batches)
        : feedMismatch(node, feed, contents, batches)));
  const setColumn = (text: string): undefined => {
    const { column: _, ...rest } = feed;
    const trimmed = text.trim();
    const column = /^\d+$/.test(trimmed) && !records ? Number(trimmed) : trimmed;
    documentActions.setFeed(tensor, trimmed === "" ? rest : { ...rest, column });
    return undefined;
  };
  return (
    <>
      {hasParts ? (
        <PropertyRow>
          <span id={columnId}>{words.parts[part]}</span>
          <TextField
            value={feed.column === undefined ? "" : String(feed.column)}
            labelledBy={columnId}
            placeholder={part === "column" ? words.columnPlaceholder : words.namePlaceholder}
            suggestions={partNames(contents)}
            commit={setColumn}
          />
        </PropertyRow>
      ) : null}
      {records ? <FeedFeatureFields node={node} tensor={tensor} feed={feed} records={records} /> : null}
      <FeedRowsFields node={node} tensor={tensor} feed={feed} contents={contents} />
      {contents && !mismatch ? <ArrayNote feed={feed} contents={contents} /> : null}
      {mismatch ? (
        <p className={styles.problem} role="alert">
          {mismatch}
        </p>
      ) : null}
      <label className={styles.batched}>
        <input
          type="checkbox"
          checked={feed.batched === true}
          onChange={({ target }) => {
            const { batched: _, ...rest } = feed;
            documentActions.setFeed(tensor, target.checked ? { ...rest, batched: true } : rest);
          }}
        />
        {words.inBatches}
      </label>
    </>
  );
}

function partNames(contents: FeedContents | undefined): string[] {
  if (!contents) return [];
  const { arrays, columns, records } = contents;
  return [
    ...arrays.flatMap(({ name }) => name ?? []),
    ...columns,
    ...(records?.features.map(({ name }) => name) ?? []),
  ];
}

function ArrayNote({ feed, contents }: { feed: FileFeed; contents: FeedContents }): ReactElement | null {
  const { arrays } = contents;
  const array = arrays.find(({ name }) => name === feed.column) ?? arrays[0];
  return array ? <Note>{`${array.dtype} ${wantedShapeText(array.shape)}`}</Note> : null;
}
