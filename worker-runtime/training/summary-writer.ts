/** Event files that TensorBoard reads: TFRecords of Event messages, as tf.compat.v1.summary.FileWriter writes them. */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Event } from "../../protos/generated/tensorflow/event.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { HistogramProto } from "../../protos/generated/tensorflow/histogram.js";
import { Summary, Summary_Value } from "../../protos/generated/tensorflow/summary.js";
import { withFileErrors } from "../io/file-errors.js";
import { frameRecord } from "../io/tfrecord/framing.js";
import { invalidArgument } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { bucketLimits } from "./histogram-buckets.js";

type Step = number | bigint;

/** A number at a step. */
export function scalarSummary(tag: string, value: number): Summary_Value {
  return Summary_Value.fromPartial({ tag, value: { $case: "simpleValue", value } });
}

/**
 * How a tensor's values are distributed.
 * @throws TensorFlowError INVALID_ARGUMENT for values that are not finite
 */
export function histogramSummary(tag: string, values: Tensor | readonly number[]): Summary_Value {
  const numbers =
    "dtype" in values ? Array.from({ length: values.size }, (_, i) => Number(values.at(i))) : values;
  if (numbers.some((one) => !Number.isFinite(one))) {
    throw invalidArgument(`The histogram "${tag}" has values that are not finite.`);
  }
  const limits = bucketLimits();
  const counts = new Map<number, number>();
  for (const one of numbers) {
    const bucket = bucketOf(limits, one);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  // Runs of empty buckets are one, as in TensorFlow's encoding: its limit is that of the last.
  const used = [...counts.keys()].sort((a, b) => a - b);
  const bucketLimit: number[] = [];
  const bucket: number[] = [];
  for (const [i, at] of used.entries()) {
    const before = i === 0 ? -1 : (used[i - 1] ?? -1);
    if (at > before + 1) {
      bucketLimit.push(limits[at - 1] ?? 0);
      bucket.push(0);
    }
    bucketLimit.push(limits[at] ?? Number.MAX_VALUE);
    bucket.push(counts.get(at) ?? 0);
  }
  const value = HistogramProto.fromPartial({
    min: numbers.reduce((least, one) => Math.min(least, one), Number.MAX_VALUE),
    max: numbers.reduce((most, one) => Math.max(most, one), -Number.MAX_VALUE),
    num: numbers.length,
    sum: numbers.reduce((sum, one) => sum + one, 0),
    sumSquares: numbers.reduce((sum, one) => sum + one * one, 0),
    bucketLimit,
    bucket,
  });
  return Summary_Value.fromPartial({ tag, value: { $case: "histo", value } });
}

/** The first bucket whose limit is above a number; the last one for numbers above all limits. */
function bucketOf(limits: readonly number[], one: number): number {
  let [low, high] = [0, limits.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((limits[middle] ?? 0) > one) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Appends events to a file of its own in a folder. Every writer must be closed. */
export class FileWriter {
  readonly #handle: FileHandle;
  /** Writes in their order. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly path: string,
    handle: FileHandle,
  ) {
    this.#handle = handle;
  }

  /** Creates the folder if it is missing, and a new file in it. */
  static async create(folder: string): Promise<FileWriter> {
    return withFileErrors(folder, async () => {
      await mkdir(folder, { recursive: true });
      const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
      const names = (function* () {
        for (let count = 0; ; count++)
          yield `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.${count}`;
      })();
      for (const name of names) {
        const path = join(folder, name);
        const handle = await open(path, "ax").catch((error: unknown) => {
          if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
          throw error;
        });
        if (!handle) continue;
        const writer = new FileWriter(path, handle);
        await writer.#add({ what: { $case: "fileVersion", value: "brain.Event:2" } });
        return writer;
      }
      throw new Error("There is always another name.");
    });
  }

  /** Adds summaries of a step: what `scalarSummary` and `histogramSummary` make, or what a summary op computed. */
  async addSummary(summary: readonly Summary_Value[] | Uint8Array, step: Step): Promise<void> {
    const value =
      summary instanceof Uint8Array ? Summary.decode(summary) : Summary.fromPartial({ value: [...summary] });
    await this.#add({ step: BigInt(step), what: { $case: "summary", value } });
  }

  /** Adds a graph, which TensorBoard draws. */
  async addGraph(graph: GraphDef, step: Step = 0): Promise<void> {
    const value = GraphDef.encode(graph).finish();
    await this.#add({ step: BigInt(step), what: { $case: "graphDef", value } });
  }

  /** Waits until everything is on disk. */
  async flush(): Promise<void> {
    await this.#last;
    await withFileErrors(this.path, () => this.#handle.sync());
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#handle.close();
  }

  #add(event: Partial<Event>): Promise<void> {
    const message = Event.fromPartial({ wallTime: Date.now() / 1000, ...event });
    const record = frameRecord(Event.encode(message).finish());
    const write = this.#last.then(() => withFileErrors(this.path, () => this.#handle.appendFile(record)));
    // A failure is reported to its caller, and does not keep later events from being written.
    this.#last = write.catch(() => undefined);
    return write;
  }
}
