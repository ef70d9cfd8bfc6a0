import { dataLoss, resourceExhausted, type TensorFlowError } from "../../protocol/status.js";
import { CRC_BYTES, HEADER_BYTES, isIntact, LENGTH_BYTES, recordLength } from "./framing.js";

/** A longer record is refused: it would fill the memory before its checksum could be verified. */
const MAX_RECORD_BYTES = 2 ** 30;

/** Whether this is how a TFRecord file that is not compressed begins: with a record's header, or nothing. */
export function beginsWithRecord(head: Uint8Array): boolean {
  return head.length >= HEADER_BYTES && isIntact(head, LENGTH_BYTES);
}

/** Told of each damaged part of a file that is skipped: what is wrong, with record number and offset. */
export type DamageListener = (damage: TensorFlowError) => void;

/** Takes records out of pieces of a TFRecord file; holds one piece and the record in progress. */
export class RecordParser {
  readonly #name: string;
  readonly #unpacked: string;
  readonly #onDamage: DamageListener | undefined;
  /** Bytes of the file that belong to no record yet, in order. */
  #pieces: Uint8Array[] = [];
  #held = 0;
  /** Where the record in progress begins. Bytes. */
  #offset = 0;
  /** The number of the record in progress, from 1. */
  #number = 1;
  /** Where a record begins is not known: bytes are skipped until a header is intact. */
  #isLost = false;

  /**
   * @param isPacked the pieces were decompressed, so that offsets count decompressed bytes
   * @param onDamage damaged records are skipped and told; without it they end the reading
   */
  constructor(name: string, isPacked: boolean, onDamage?: DamageListener) {
    this.#name = name;
    this.#onDamage = onDamage;
    this.#unpacked = isPacked ? " of its unpacked content" : "";
  }

  /** Where the record in progress is, for messages: '"a.tfrecord", record 3 at byte 512'. */
  get position(): string {
    return `"${this.#name}", record ${this.#number} at byte ${this.#offset}${this.#unpacked}`;
  }

  /**
   * The records that a further piece completes, as copies.
   * @throws TensorFlowError DATA_LOSS for a damaged record; RESOURCE_EXHAUSTED for one of more than 1 GiB
   */
  *push(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    for (;;) {
      if (this.#isLost && !this.#findHeader()) return;
      if (this.#held < HEADER_BYTES) return;
      const header = this.#joined(HEADER_BYTES);
      if (!isIntact(header, LENGTH_BYTES)) {
        this.#damaged(
          `${this.position}: the checksum of its length does not match. ` +
            (this.#number === 1 ? "This is no TFRecord file, or it is damaged." : "The file is damaged."),
        );
        this.#isLost = true;
        continue;
      }
      const length = recordLength(header);
      if (length > MAX_RECORD_BYTES)
        throw resourceExhausted(
          `${this.position}: it has ${length} bytes; at most ${MAX_RECORD_BYTES} can be read.`,
        );
      const size = HEADER_BYTES + length + CRC_BYTES;
      if (this.#held < size) return;
      const framed = this.#joined(size).subarray(HEADER_BYTES, size);
      if (!isIntact(framed, length)) {
        this.#damaged(
          `${this.position}: the checksum of its ${length} bytes does not match. The file is damaged.`,
        );
        this.#skip(size);
        this.#number += 1;
        continue;
      }
      const record = new Uint8Array(framed.subarray(0, length));
      this.#skip(size);
      this.#number += 1;
      yield record;
    }
  }

  /** @throws TensorFlowError DATA_LOSS if the file ends within a record */
  end(): void {
    if (this.#held === 0 || this.#isLost) return;
    this.#damaged(`${this.position}: the file ends within it, after ${this.#held} of its bytes.`);
  }

  #damaged(what: string): void {
    const damage = dataLoss(what);
    if (!this.#onDamage) throw damage;
    this.#onDamage(damage);
  }

  /** Skips bytes up to the next intact header: its checksum is that of other bytes once in 2^32. */
  #findHeader(): boolean {
    if (this.#held < HEADER_BYTES) return false;
    const bytes = this.#joined(this.#held);
    let at = 1;
    while (at + HEADER_BYTES <= bytes.length && !beginsWithRecord(bytes.subarray(at, at + HEADER_BYTES)))
      at++;
    const isFound = at + HEADER_BYTES <= bytes.length;
    // The byte before is known to begin no header, so that a further piece is looked at from the next one on.
    this.#skip(isFound ? at : at - 1);
    if (!isFound) return false;
    this.#isLost = false;
    this.#number += 1;
    return true;
  }

  /** The first bytes that are held, at least `count`, in one piece. */
  #joined(count: number): Uint8Array {
    const [first = new Uint8Array(0)] = this.#pieces;
    if (first.length >= count) return first;
    const joined = new Uint8Array(this.#held);
    let filled = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, filled);
      filled += piece.length;
    }
    this.#pieces = [joined];
    return joined;
  }

  #skip(count: number): void {
    const [first = new Uint8Array(0), ...rest] = this.#pieces;
    this.#pieces = first.length === count ? rest : [first.subarray(count), ...rest];
    this.#held -= count;
    this.#offset += count;
  }
}
