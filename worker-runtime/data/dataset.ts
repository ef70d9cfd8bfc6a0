/** Sequences of examples that training reads, as tf.data.Dataset: lazily, in any order, again and again. */
import { cancelledBy, invalidArgument } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { mapped, type Pass, prefetched } from "./ahead.js";
import { randomNumbers, rowsAt, stacked } from "./rows.js";

/** One example, or a batch of them: tensors by name. */
export type Row = Readonly<Record<string, Tensor>>;

export interface IterateOptions {
  /** Ends the pass with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Shuffles as this pass of `repeat` does; defaults to 0. A loop over epochs of its own counts them here. */
  readonly epoch?: number | undefined;
}

export interface ShuffleOptions {
  /** The order is always the same for a seed; defaults to a random one, of this data set. */
  readonly seed?: number | undefined;
  /** Whether `repeat` gets another order in each pass; defaults to true. */
  readonly reshuffleEachIteration?: boolean | undefined;
}

/**
 * A sequence of elements, read anew by each loop over it (`for await`). Nothing is read before, and files are closed when
 * a loop ends, also early. Errors come where their element would have come.
 */
export class Dataset<T> implements AsyncIterable<T> {
  readonly #open: (pass: Pass) => AsyncIterable<T>;

  /** @param open begins a pass; it heeds the signal where it waits */
  constructor(open: (pass: Pass) => AsyncIterable<T>) {
    this.#open = open;
  }

  /** The elements of a list. */
  static fromArray<T>(elements: readonly T[]): Dataset<T> {
    return new Dataset(async function* () {
      yield* elements;
    });
  }

  /**
   * The rows of tensors that have the same number of them: the first element has the first row of each.
   * @throws TensorFlowError INVALID_ARGUMENT if they do not
   */
  static fromTensorSlices(columns: Row): Dataset<Row> {
    const all = Object.entries(columns);
    const [first] = all;
    const rows = first?.[1].shape[0];
    for (const [name, { shape }] of all) {
      if (shape[0] !== undefined && shape[0] === rows) continue;
      throw invalidArgument(
        `Tensors are read row by row, so all must have as many: "${first?.[0]}" has ${rows ?? "none"}, ` +
          `"${name}" has ${shape[0] ?? "none, as it is a single value"}.`,
      );
    }
    return new Dataset(async function* () {
      for (let row = 0; row < (rows ?? 0); row++) {
        yield Object.fromEntries(
          all.map(([name, tensor]) => [name, rowsAt(tensor, row, row + 1).reshape(tensor.shape.slice(1))]),
        );
      }
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.iterate()[Symbol.asyncIterator]();
  }

  /** A pass over the elements. @throws TensorFlowError CANCELLED by the signal; errors of reading */
  async *iterate({ signal, epoch = 0 }: IterateOptions = {}): AsyncGenerator<T, void, undefined> {
    const check = (): void => {
      if (signal?.aborted) throw cancelledBy(signal.reason, "Reading the data");
    };
    check();
    for await (const element of this.#open({ signal, epoch })) {
      check();
      yield element;
      check();
    }
    check();
  }

  /**
   * Every `count`th element, from element `index` on: each of `count` tasks takes another one. Before `shuffle`, so that no
   * two tasks get the same element.
   */
  shard(count: number, index: number): Dataset<T> {
    whole(count, "The number of shards", 1);
    if (!(Number.isInteger(index) && index >= 0 && index < count)) {
      throw invalidArgument(`Of ${count} shards, ${index} is none: they are numbered 0 to ${count - 1}.`);
    }
    const source = this.#open;
    return new Dataset(async function* (pass) {
      let at = 0;
      for await (const element of source(pass)) {
        if (at++ % count === index) yield element;
      }
    });
  }

  /** The first `count` elements. */
  take(count: number): Dataset<T> {
    whole(count, "The number of elements to take", 0);
    const source = this.#open;
    return new Dataset(async function* (pass) {
      if (count === 0) return;
      let left = count;
      for await (const element of source(pass)) {
        yield element;
        left -= 1;
        if (left === 0) return;
      }
    });
  }

  /** All but the first `count` elements. */
  skip(count: number): Dataset<T> {
    whole(count, "The number of elements to skip", 0);
    const source = this.#open;
    return new Dataset(async function* (pass) {
      let left = count;
      for await (const element of source(pass)) {
        if (left > 0) left -= 1;
        else yield element;
      }
    });
  }

  /**
   * The results of a function for each element, in their order.
   * @param parallelCalls at most so many results are waited for at a time; defaults to 1
   */
  map<U>(
    make: (element: T) => U | Promise<U>,
    { parallelCalls = 1 }: { readonly parallelCalls?: number } = {},
  ): Dataset<U> {
    whole(parallelCalls, "The number of parallel calls", 1);
    const source = this.#open;
    return new Dataset((pass) => mapped(source, pass, make, parallelCalls));
  }

  /** The elements of what a function makes of each element, one after the other: records of files, for example. */
  flatMap<U>(make: (element: T) => Dataset<U>): Dataset<U> {
    const source = this.#open;
    return new Dataset(async function* (pass) {
      for await (const element of source(pass)) yield* make(element).iterate(pass);
    });
  }

  /** The elements for which `keeps` is true. */
  filter(keeps: (element: T) => boolean): Dataset<T> {
    const source = this.#open;
    return new Dataset(async function* (pass) {
      for await (const element of source(pass)) if (keeps(element)) yield element;
    });
  }

  /**
   * Another order: each element is a random one of the next `bufferSize`, which are in memory. A buffer as large as the data
   * set shuffles evenly.
   */
  shuffle(bufferSize: number, options: ShuffleOptions = {}): Dataset<T> {
    whole(bufferSize, "The size of the buffer", 1);
    const { seed = Math.floor(Math.random() * 2 ** 32), reshuffleEachIteration = true } = options;
    const source = this.#open;
    return new Dataset(async function* (pass) {
      const random = randomNumbers(seed, reshuffleEachIteration ? pass.epoch : 0);
      const buffer: T[] = [];
      for await (const element of source(pass)) {
        if (buffer.length < bufferSize) {
          buffer.push(element);
          continue;
        }
        const at = Math.floor(random() * buffer.length);
        yield buffer[at] as T;
        buffer[at] = element;
      }
      while (buffer.length > 0) {
        const at = Math.floor(random() * buffer.length);
        yield buffer[at] as T;
        buffer[at] = buffer.at(-1) as T;
        buffer.pop();
      }
    });
  }

  /** The elements `count` times, or again and again without end. A data set without elements has none then, either. */
  repeat(count = Number.POSITIVE_INFINITY): Dataset<T> {
    if (count !== Number.POSITIVE_INFINITY) whole(count, "The number of passes", 0);
    const source = this.#open;
    return new Dataset(async function* ({ signal, epoch }) {
      for (let pass = 0; pass < count; pass++) {
        let isEmpty = true;
        // Under another `repeat`, its passes continue the numbers.
        const offset = count === Number.POSITIVE_INFINITY ? epoch : epoch * count;
        for await (const element of source({ signal, epoch: offset + pass })) {
          isEmpty = false;
          yield element;
        }
        if (isEmpty) return;
      }
    });
  }

  /** Lists of `size` consecutive elements; the last one may be shorter, unless `dropRemainder`. */
  chunk(
    size: number,
    { dropRemainder = false }: { readonly dropRemainder?: boolean } = {},
  ): Dataset<readonly T[]> {
    whole(size, "The size of a batch", 1);
    const source = this.#open;
    return new Dataset(async function* (pass) {
      let chunk: T[] = [];
      for await (const element of source(pass)) {
        chunk.push(element);
        if (chunk.length < size) continue;
        yield chunk;
        chunk = [];
      }
      if (chunk.length > 0 && !dropRemainder) yield chunk;
    });
  }

  /**
   * Batches of `size` consecutive rows: tensors with one dimension more. The last one may be smaller, unless
   * `dropRemainder`. Rows of other dtypes or shapes than the first of their batch are an INVALID_ARGUMENT.
   */
  batch(this: Dataset<Row>, size: number, options: { readonly dropRemainder?: boolean } = {}): Dataset<Row> {
    return this.chunk(size, options).map(batchOf);
  }

  /**
   * Reads up to `bufferSize` elements ahead while the one before is used, so that a step need not wait for them. No more
   * are read until one is taken.
   */
  prefetch(bufferSize: number): Dataset<T> {
    whole(bufferSize, "The number of elements to prefetch", 1);
    const source = this.#open;
    return new Dataset((pass) => prefetched(source, pass, bufferSize));
  }
}

function batchOf(rows: readonly Row[]): Row {
  const [first = {}] = rows;
  return Object.fromEntries(
    Object.keys(first).map((name) => [
      name,
      stacked(
        rows.flatMap((row) => row[name] ?? missing(name)),
        name,
      ),
    ]),
  );
}

function missing(name: string): never {
  throw invalidArgument(`The rows of a batch must be alike, but one of them has no "${name}".`);
}

function whole(value: number, what: string, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw invalidArgument(`${what} must be a whole number of at least ${least}, not ${value}.`);
}
