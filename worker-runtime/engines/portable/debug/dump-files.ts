/**
 * The files that tfdbg reads (tensorflow/python/debug/lib/debug_data.py): one serialized tensorflow.Event each, without
 * framing, in a folder for each device below the one that a watch names.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Event } from "../../../../protos/generated/tensorflow/event.js";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { SummaryMetadata } from "../../../../protos/generated/tensorflow/summary.js";
import type { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { withFileErrors } from "../../../io/file-errors.js";
import { hash64 } from "../hash64.js";
import type { FileAccess } from "../resources/file-access.js";
import { nowMicros } from "../wall-clock.js";

const METADATA_PREFIX = "_tfdbg_";

/** The number of digits of a run's number in a file name. */
const RUN_DIGITS = 14;

/** A tensor as a debug op publishes it. */
export interface DumpedTensor {
  /** The full name of the device that the watched node runs on. */
  readonly device: string;
  readonly node: string;
  readonly output: number;
  readonly debugOp: string;
  readonly value: TensorProto;
}

/** A run of a step, as the master that starts it publishes it. */
export interface DumpedRun {
  readonly globalStep: bigint;
  /** Runs with the same feeds, fetches, targets and watches that came before. */
  readonly index: number;
  readonly feeds: readonly string[];
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
}

/** Writes files to the folder of a watch. */
export class DumpFolder {
  readonly #folder: string;
  readonly #files: FileAccess;

  constructor(folder: string, files: FileAccess) {
    this.#folder = folder;
    this.#files = files;
  }

  /** @throws TensorFlowError PERMISSION_DENIED for a folder that graphs may not write to; the error of the file. */
  async writeTensor({ device, node, output, debugOp, value }: DumpedTensor): Promise<void> {
    const micros = nowMicros();
    const event = eventAt(micros, {
      $case: "summary",
      value: {
        value: [
          {
            nodeName: `${node}:${output}:${debugOp}`,
            tag: node,
            metadata: SummaryMetadata.fromPartial({
              pluginData: {
                pluginName: "debugger",
                content: Buffer.from(
                  JSON.stringify({ device, outputSlot: output, numChunks: 1, chunkIndex: 0 }),
                ),
              },
            }),
            value: { $case: "tensor", value },
          },
        ],
      },
    });
    await this.#write([deviceFolder(device), `${node}_${output}_${debugOp}_${micros}`], event);
  }

  /** @throws TensorFlowError as `writeTensor` */
  async writeGraph(device: string, graphDef: GraphDef): Promise<void> {
    const bytes = GraphDef.encode(graphDef).finish();
    const micros = nowMicros();
    const name = `${METADATA_PREFIX}graph_hash${hash64(bytes)}_${micros}`;
    await this.#write([deviceFolder(device), name], eventAt(micros, { $case: "graphDef", value: bytes }));
  }

  /** @throws TensorFlowError as `writeTensor` */
  async writeRun({ globalStep, index, feeds, fetches, targets }: DumpedRun): Promise<void> {
    const micros = nowMicros();
    // A number beyond 2^53 must not be rounded, and JSON.stringify takes no bigint.
    const message = `{"global_step":${globalStep},${JSON.stringify({
      session_run_index: index,
      executor_step_index: index,
      input_names: feeds,
      output_names: fetches,
      target_nodes: targets,
    }).slice(1)}`;
    const name = `${METADATA_PREFIX}core_metadata_sessionrun${String(index).padStart(RUN_DIGITS, "0")}_${micros}`;
    await this.#write([name], eventAt(micros, { $case: "logMessage", value: { level: 0, message } }));
  }

  /** A name that is taken gets a number, as two tensors may be published within a microsecond. */
  async #write(parts: readonly string[], event: Event): Promise<void> {
    const wanted = path.join(this.#folder, ...parts);
    const bytes = Event.encode(event).finish();
    for (let count = 0; ; count += 1) {
      const file = await this.#files.resolve(count === 0 ? wanted : `${wanted}-${count}`, "write");
      const isWritten = await withFileErrors(file, async () => {
        await mkdir(path.dirname(file), { recursive: true });
        return await writeNew(file, bytes);
      });
      if (isWritten) {
        return;
      }
    }
  }
}

/** @returns false if the file exists. */
async function writeNew(file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(file, bytes, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

/** @param micros since 1970; unlike in other events, TensorFlow writes microseconds here. */
function eventAt(micros: number, what: NonNullable<Event["what"]>): Event {
  return Event.fromPartial({ wallTime: micros, what });
}

function deviceFolder(device: string): string {
  return `${METADATA_PREFIX}device_${device.replaceAll("/", ",").replaceAll(":", "_")}`;
}
