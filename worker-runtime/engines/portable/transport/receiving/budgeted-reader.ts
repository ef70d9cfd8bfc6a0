import { BinaryReader } from "@bufbuild/protobuf/wire";
import { resourceExhausted } from "../../../../protocol/status.js";
import { memoryBudget } from "../../kernels/support/memory-budget.js";

/** Smaller messages cannot have enough fields to matter. */
const MIN_COUNTED_BYTES = 2 ** 20;

/** Fields and elements between two checks of the heap. */
const READS_PER_CHECK = 65_536;

/** V8 cannot grow longer lists. */
const MAX_READS = 2 ** 25;

/**
 * Reads a message and stops before its objects fill JavaScript's heap, which would end the process: two bytes on the
 * wire may be an empty message in a list, of two hundred bytes here.
 */
class BudgetedReader extends BinaryReader {
  readonly #maxReads: number;
  #reads = 0;

  constructor(bytes: Uint8Array, maxReads: number) {
    super(bytes);
    this.#maxReads = maxReads;
    // Tags and lengths; the base class sets it as a property of the object.
    const readUint32 = this.uint32;
    this.uint32 = () => {
      this.#count();
      return readUint32.call(this);
    };
  }

  override int32(): number {
    this.#count();
    return super.int32();
  }

  override int64(): ReturnType<BinaryReader["int64"]> {
    this.#count();
    return super.int64();
  }

  override uint64(): ReturnType<BinaryReader["uint64"]> {
    this.#count();
    return super.uint64();
  }

  override float(): number {
    this.#count();
    return super.float();
  }

  override double(): number {
    this.#count();
    return super.double();
  }

  override bool(): boolean {
    this.#count();
    return super.bool();
  }

  #count(): void {
    this.#reads += 1;
    if (this.#reads % READS_PER_CHECK === 0) {
      if (this.#reads > this.#maxReads || !memoryBudget.hasRoomForStrings(READS_PER_CHECK)) {
        throw resourceExhausted(
          `A message of ${this.len} bytes holds more fields than this task has memory for (${this.#reads} so far).`,
        );
      }
    }
  }
}

/** The reader for a received message; a budgeted one if it is large. */
export function readerOf(bytes: Uint8Array, maxReads = MAX_READS): BinaryReader | Uint8Array {
  return bytes.byteLength < MIN_COUNTED_BYTES ? bytes : new BudgetedReader(bytes, maxReads);
}
