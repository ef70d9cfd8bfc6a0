import { getHeapStatistics } from "node:v8";
import { resourceExhausted, type TensorFlowError } from "../../../../protocol/status.js";
import { collectGarbage, memoryBudget } from "../../kernels/support/memory-budget.js";

/** Fields between two checks of the remaining memory. */
const FIELDS_PER_CHECK = 65_536;

/**
 * Maximum number of fields of a message, except small ones within pieces: millions of objects fill the heap and stop
 * the process for seconds when they are collected. A message counts as several fields: see `partWeight`.
 */
const MAX_FIELDS = 2 ** 22;

/** V8 cannot grow longer lists. */
const MAX_PACKED_ELEMENTS = 2 ** 25;

/**
 * The space that a message may occupy on JavaScript's heap: a fixed allowance, and the rest in proportion to its size. Nodes as
 * people write them become ten times as large as on the wire; two bytes may be an empty tensor, of a thousand bytes
 * here.
 */
const FREE_HEAP_BYTES = 2 ** 28;
const HEAP_PER_BYTE = 32;

/** The budget of a message whose parts are decoded one after the other. */
export class DecodingBudget {
  readonly #messageBytes: number;
  readonly #heapBefore = usedHeapBytes();
  #fields = 0;
  #nextCheck = FIELDS_PER_CHECK;
  #packedElements = 0;
  #decodedBytes = 0;

  constructor(messageBytes: number) {
    this.#messageBytes = messageBytes;
  }

  /** Counts a field. @throws TensorFlowError RESOURCE_EXHAUSTED */
  addField(weight: number): void {
    this.#fields += weight;
    if (this.#fields < this.#nextCheck) {
      return;
    }
    this.#nextCheck += FIELDS_PER_CHECK;
    if (this.#fields > MAX_FIELDS || !memoryBudget.hasRoomForStrings(FIELDS_PER_CHECK)) {
      throw this.#tooMany(`${this.#fields} so far`);
    }
  }

  /** Counts elements of packed lists. @throws TensorFlowError RESOURCE_EXHAUSTED */
  addPacked(elements: number): void {
    this.#packedElements += elements;
    if (this.#packedElements > MAX_PACKED_ELEMENTS) {
      throw this.#tooMany(`${this.#packedElements} elements so far`);
    }
  }

  /**
   * Checks the memory after decoding a piece of the given number of bytes.
   * @throws TensorFlowError RESOURCE_EXHAUSTED
   */
  addDecoded(bytes: number): void {
    this.#decodedBytes += bytes;
    if (this.#isHeapSpent()) {
      // Some of it may be garbage, including that of other messages.
      collectGarbage();
      if (this.#isHeapSpent()) {
        throw this.#tooMany(`more than any real message has`);
      }
    }
  }

  #isHeapSpent(): boolean {
    const growth = usedHeapBytes() - this.#heapBefore;
    return growth > FREE_HEAP_BYTES + this.#decodedBytes * HEAP_PER_BYTE;
  }

  #tooMany(how: string): TensorFlowError {
    return resourceExhausted(
      `A message of ${this.#messageBytes} bytes holds more fields than this task has memory for (${how}).`,
    );
  }
}

function usedHeapBytes(): number {
  return getHeapStatistics().used_heap_size;
}
