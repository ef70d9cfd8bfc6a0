/** Elements that are made before they are asked for, a bounded number of them. */
import { LinkedAbortController } from "../cancellation/linked-abort-controller.js";

/** The options of a pass over a data set. */
export interface Pass {
  readonly signal: AbortSignal | undefined;
  /** Which pass of those that `repeat` makes, from 0: each is shuffled in another order. */
  readonly epoch: number;
}

type Open<T> = (pass: Pass) => AsyncIterable<T>;

/**
 * The elements of a source, of which up to `size` are read ahead. A loop that ends early, an error and the signal end the
 * reading: then nothing of the source is open any more.
 */
export async function* prefetched<T>(
  open: Open<T>,
  pass: Pass,
  size: number,
): AsyncGenerator<T, void, undefined> {
  const end = new LinkedAbortController(pass.signal);
  const { signal } = end;
  const elements = untilAborted(open({ ...pass, signal }), signal);
  // A generator works through requests in their order, whether somebody waits for their results or not.
  const ahead: Promise<IteratorResult<T, void>>[] = [];
  try {
    for (;;) {
      while (ahead.length < size) ahead.push(handled(elements.next()));
      const { done, value } = await (ahead.shift() as Promise<IteratorResult<T, void>>);
      if (done) return;
      // Requested before the element is handed out, so that it is made meanwhile.
      ahead.push(handled(elements.next()));
      yield value;
    }
  } finally {
    end.abort();
    await Promise.allSettled(ahead);
    await elements.return();
  }
}

/** The results of a function for each element, in their order; up to `parallel` of them are computed at once. */
export async function* mapped<T, U>(
  open: Open<T>,
  pass: Pass,
  make: (element: T) => U | Promise<U>,
  parallel: number,
): AsyncGenerator<U, void, undefined> {
  const elements = open(pass)[Symbol.asyncIterator]();
  const making: Promise<U>[] = [];
  let isOver = false;
  try {
    for (;;) {
      while (!isOver && making.length < parallel) {
        const next = elements.next();
        // An error of the source comes after the results of the elements before.
        const made = next.then(({ done, value }) => (done ? OVER : { value: make(value) }));
        const result = await made.catch((error: unknown) => ({ value: Promise.reject(error) }));
        isOver = result === OVER;
        if (result !== OVER) making.push(handled(Promise.resolve(result.value)));
      }
      const first = making.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    await Promise.allSettled(making);
    await elements.return?.();
  }
}

const OVER = Symbol("no more elements");

async function* untilAborted<T>(
  elements: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  for await (const element of elements) {
    if (signal.aborted) return;
    yield element;
  }
}

/** A failure is met where the result is awaited; until then it is none that nobody handles. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
