import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { invalidArgument } from "../../../../../protocol/status.js";

/** The position of a reader, as in tensorflow.ReaderBaseState (core/framework/reader_base.proto). */
export interface ReaderState {
  /** Work units. */
  readonly started: number;
  readonly finished: number;
  /** Records. */
  readonly produced: number;
  /** The last work unit started. */
  readonly unit: Uint8Array;
}

/** Field numbers, shifted by the three bits of the wire type. */
const STARTED = 1 << 3;
const FINISHED = 2 << 3;
const PRODUCED = 3 << 3;
const UNIT = (4 << 3) | 2;

/** The state as a serialized message. */
export function encodeState({ started, finished, produced, unit }: ReaderState): Uint8Array {
  const writer = new BinaryWriter();
  const numbers: readonly (readonly [number, number])[] = [
    [STARTED, started],
    [FINISHED, finished],
    [PRODUCED, produced],
  ];
  for (const [tag, value] of numbers) {
    if (value !== 0) {
      writer.uint32(tag).int64(value);
    }
  }
  if (unit.length > 0) {
    writer.uint32(UNIT).bytes(unit);
  }
  return writer.finish();
}

/**
 * Decodes a state that `encodeState` or TensorFlow encoded.
 * @param reader for the error: "IdentityReader 'name'".
 * @throws TensorFlowError INVALID_ARGUMENT for invalid bytes, negative numbers, or an unfinished unit.
 */
export function decodeState(bytes: Uint8Array, reader: string): ReaderState {
  const state = parse(bytes, reader);
  const { started, finished, produced } = state;
  if (Math.min(started, finished, produced) < 0) {
    throw invalidArgument(`Unexpected negative value when restoring in ${reader}: ${textOf(state)}`);
  }
  if (started > finished) {
    throw invalidArgument(
      `Inconsistent work started vs. finished when restoring in ${reader}: ${textOf(state)}`,
    );
  }
  return state;
}

function parse(bytes: Uint8Array, reader: string): ReaderState {
  const numbers = new Map<number, number>();
  let unit: Uint8Array = new Uint8Array(0);
  try {
    const message = new BinaryReader(bytes);
    while (message.pos < message.len) {
      const tag = message.uint32();
      if (tag === STARTED || tag === FINISHED || tag === PRODUCED) {
        numbers.set(tag, Number(message.int64()));
      } else if (tag === UNIT) {
        unit = message.bytes();
      } else {
        message.skip(tag & 7);
      }
    }
  } catch (error) {
    throw invalidArgument(`Could not parse state for ${reader}`, { cause: error });
  }
  const numberOf = (tag: number) => numbers.get(tag) ?? 0;
  return { started: numberOf(STARTED), finished: numberOf(FINISHED), produced: numberOf(PRODUCED), unit };
}

function textOf({ started, finished, produced }: ReaderState): string {
  return `work_started: ${started} work_finished: ${finished} num_records_produced: ${produced}`;
}
