/** Reads scalars from a file of TensorBoard events while another program still writes it. */
import { open } from "node:fs/promises";
import { Event } from "../../../protos/generated/tensorflow/event.js";
import type { Summary_Value } from "../../../protos/generated/tensorflow/summary.js";
import { RecordParser } from "../../../worker-runtime/io/tfrecord/record-parser.js";
import { tensorFromProto } from "../../../worker-runtime/protocol/tensor.js";
import { scalarOf } from "../../shared/scalar-series.js";

export interface EventScalar {
  readonly tag: string;
  readonly step: number;
  /** May be NaN or infinite. */
  readonly value: number;
}

const PIECE_BYTES = 1 << 20;

export class EventReader {
  readonly #path: string;
  readonly #parser: RecordParser;
  #offset: number;
  #isDamaged = false;

  /** @param offset Where the first record begins that is wanted. */
  constructor(path: string, offset = 0) {
    this.#path = path;
    this.#offset = offset;
    this.#parser = new RecordParser(path, false);
  }

  /**
   * The scalars that were written since the last call. A record that is not complete yet is read by a later call; after a
   * damaged one nothing more is read, because nothing says where the next one begins.
   */
  async read(): Promise<EventScalar[]> {
    if (this.#isDamaged) return [];
    const scalars: EventScalar[] = [];
    const file = await open(this.#path, "r").catch(() => undefined);
    try {
      for (;;) {
        const buffer = Buffer.alloc(PIECE_BYTES);
        const { bytesRead = 0 } = (await file?.read(buffer, 0, PIECE_BYTES, this.#offset)) ?? {};
        if (bytesRead === 0) return scalars;
        this.#offset += bytesRead;
        for (const record of this.#parser.push(buffer.subarray(0, bytesRead)))
          scalars.push(...scalarsOf(record));
      }
    } catch {
      this.#isDamaged = true;
      return scalars;
    } finally {
      await file?.close();
    }
  }
}

function scalarsOf(record: Uint8Array): EventScalar[] {
  const { step, what } = Event.decode(record);
  if (what?.$case !== "summary") return [];
  return what.value.value.flatMap((value) => {
    const number = numberOf(value);
    return number === undefined ? [] : [{ tag: value.tag, step: Number(step), value: number }];
  });
}

/** TensorFlow 1 writes plain numbers; TensorFlow 2 tensors, of which images and texts are not scalars. */
function numberOf({ value, metadata }: Summary_Value): number | undefined {
  if (value?.$case === "simpleValue") return value.value;
  const plugin = metadata?.pluginData?.pluginName ?? "";
  if (value?.$case !== "tensor" || (plugin !== "" && plugin !== "scalars")) return undefined;
  return scalarOf(tensorFromProto(value.value));
}
