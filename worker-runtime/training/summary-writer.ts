/** Event files that TensorBoard reads: TFRecords of Event messages, as tf.compat.v1.summary.FileWriter writes them. */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { SessionLog, SessionLog_SessionStatus } from "../../protos/generated/tensorflow/event.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { Summary, Summary_Value } from "../../protos/generated/tensorflow/summary.js";
import { eventFileName, eventRecord, versionRecord } from "../io/events/event-file.js";
import { histogramOf } from "../io/events/histogram.js";
import { withFileErrors } from "../io/file-errors.js";
import { invalidArgument } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";

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
  return Summary_Value.fromPartial({ tag, value: { $case: "histo", value: histogramOf(numbers) } });
}

/** The summary in the result of a summary op. */
function computedSummary({ data, dtype }: Tensor): Summary {
  const [serialized] = data;
  if (serialized instanceof Uint8Array) return Summary.decode(serialized);
  throw invalidArgument(`A summary op computes a string, but this tensor is ${dtype}.`);
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
      for (let count = 0; ; count++) {
        const path = join(folder, eventFileName(count));
        const handle = await open(path, "ax").catch((error: unknown) => {
          if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
          throw error;
        });
        if (!handle) continue;
        const writer = new FileWriter(path, handle);
        await writer.#add(versionRecord());
        return writer;
      }
    });
  }

  /**
   * Adds summaries of a step: what `scalarSummary` and `histogramSummary` make, or what a summary op computed.
   * @throws TensorFlowError INVALID_ARGUMENT for a tensor that is not a summary
   */
  async addSummary(summary: readonly Summary_Value[] | Tensor, step: Step): Promise<void> {
    const value =
      "dtype" in summary ? computedSummary(summary) : Summary.fromPartial({ value: [...summary] });
    await this.#add(eventRecord({ step: BigInt(step), what: { $case: "summary", value } }));
  }

  /** Adds a graph, which TensorBoard draws. */
  async addGraph(graph: GraphDef, step: Step = 0): Promise<void> {
    const value = GraphDef.encode(graph).finish();
    await this.#add(eventRecord({ step: BigInt(step), what: { $case: "graphDef", value } }));
  }

  /** Says that a program starts again at a step: TensorBoard then drops what it has of this step and those after it. */
  async addSessionStart(step: Step): Promise<void> {
    const value = SessionLog.fromPartial({ status: SessionLog_SessionStatus.START });
    await this.#add(eventRecord({ step: BigInt(step), what: { $case: "sessionLog", value } }));
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

  #add(record: Uint8Array): Promise<void> {
    const write = this.#last.then(() => withFileErrors(this.path, () => this.#handle.appendFile(record)));
    // A failure is reported to its caller, and does not keep later events from being written.
    this.#last = write.catch(() => undefined);
    return write;
  }
}
