/** Messages that wait to be sent over a stream, which takes one after the other. */
export class Outbox<T> implements AsyncIterable<T> {
  readonly #waiting: { readonly message: T; readonly taken: () => void }[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  /** Resolves when the stream has taken it; never after the end. */
  send(message: T): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed) return;
      this.#waiting.push({ message, taken: resolve });
      this.#wake?.();
    });
  }

  /** Ends the stream once what waits is sent. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        yield next.message;
        next.taken();
      } else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
