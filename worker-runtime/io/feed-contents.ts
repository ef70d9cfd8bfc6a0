/** The contents of a .npy, .npz, CSV or TFRecord file, from as little of it as tells. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { DType } from "../protocol/dtype.js";
import { cancelledBy } from "../protocol/status.js";
import { csvColumns } from "./csv.js";
import { fileError, fileKind, readHead } from "./feed.js";
import { isImageName } from "./image/decode-image.js";
import { describeImageFile, describeImageFolder } from "./image/image-feed.js";
import { type NpyHeader, readNpyHeader } from "./npy-header.js";
import { npzHeaders } from "./npz.js";
import { FeatureSurvey, type RecordSurvey } from "./tfrecord/feature-survey.js";
import { recordsOf } from "./tfrecord/records.js";
import { readWholeFile } from "./whole-file.js";

export interface FeedFileContents {
  /** The array of a .npy file or an image, without a name, or those of a .npz file or a folder of images; -1 for a size to choose. */
  readonly arrays: readonly {
    readonly name?: string;
    readonly dtype: DType;
    readonly shape: readonly number[];
  }[];
  /** The names of a table's columns; their numbers if it has no header. */
  readonly columns: readonly string[];
  /** The features of a TFRecord file. */
  readonly records?: RecordSurvey;
}

/** Enough for the header of any array, and for two rows of a table. */
const HEAD_BYTES = 64 * 1024;

/** The part of longer TFRecord files that is looked at, from their beginning. */
const MAX_SURVEY_BYTES = 256 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/**
 * @param bytes all of a .npz or TFRecord file, the head of others
 * @throws TensorFlowError that describes the problem with the file; CANCELLED
 */
export async function describeFeedBytes(
  bytes: Uint8Array,
  name: string,
  signal?: AbortSignal,
): Promise<FeedFileContents> {
  if (fileKind(bytes, name) === "tfrecord") return await describeRecords(piecesOf(bytes), name, signal);
  return describeHead(bytes, name);
}

/** @throws TensorFlowError that describes the problem; NOT_FOUND if there is no such file; CANCELLED */
export async function describeFeedFile(path: string, signal?: AbortSignal): Promise<FeedFileContents> {
  const name = basename(path);
  try {
    if ((await stat(path)).isDirectory()) return { arrays: await describeImageFolder(path), columns: [] };
    if (isImageName(name)) return { arrays: describeImageFile(), columns: [] };
    const head = await readHead(path, HEAD_BYTES);
    switch (fileKind(head, name)) {
      case "tfrecord":
        return await describeRecords(createReadStream(path, { highWaterMark: PIECE_BYTES }), name, signal);
      case "npz":
        return describeHead(await readWholeFile(path, { signal }), name);
      default:
        return describeHead(head, name);
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

function describeHead(bytes: Uint8Array, name: string): FeedFileContents {
  switch (fileKind(bytes, name)) {
    case "npz": {
      const headers = [...npzHeaders(bytes, name)];
      return { arrays: headers.map(([array, header]) => ({ name: array, ...arrayOf(header) })), columns: [] };
    }
    case "csv":
      return { arrays: [], columns: csvColumns(bytes, name) };
    default:
      return { arrays: [arrayOf(readNpyHeader(bytes, name))], columns: [] };
  }
}

async function describeRecords(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<FeedFileContents> {
  const survey = new FeatureSurvey(name);
  let bytes = 0;
  let isComplete = true;
  for await (const record of recordsOf(pieces, name)) {
    if (signal?.aborted) throw cancelledBy(signal.reason, `Reading "${name}"`);
    survey.add(record);
    bytes += record.length;
    if (bytes < MAX_SURVEY_BYTES) continue;
    isComplete = false;
    break;
  }
  return { arrays: [], columns: [], records: survey.survey(isComplete) };
}

/** Pieces with pauses between them, in which the program does other things. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
    await setImmediate();
  }
}

function arrayOf({ element, shape }: NpyHeader): { dtype: DType; shape: readonly number[] } {
  return { dtype: element.kind === "number" ? element.dtype : "string", shape };
}
