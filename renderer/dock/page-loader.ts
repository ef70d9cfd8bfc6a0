/** Elements asked for at once. */
export const PAGE = 2000;
/** Pages kept; the least recently viewed ones are dropped first. */
const MOST_PAGES = 400;
/** Concurrent requests: one page being computed by the application, one being transferred. */
const MOST_UNDER_WAY = 2;

export interface PageSource {
  /** Elements [offset, offset + count) of the tensor as text. */
  fetch(offset: number, count: number): Promise<readonly string[]>;
  /** Called after a page arrived. */
  onChange(): void;
  onError(error: unknown): void;
}

/**
 * The pages of one tensor. Only the newest requested range is fetched, so that scrolling through a large tensor fetches
 * the final position rather than everything in between; a page that arrives late is kept nevertheless.
 */
export class PageLoader {
  readonly #source: PageSource;
  readonly #pages = new Map<number, readonly string[]>();
  readonly #underWay = new Set<number>();
  /** Pages that could not be had; not asked for again and again. */
  readonly #failed = new Set<number>();
  #first = 0;
  #last = -1;
  #closed = false;

  constructor(source: PageSource) {
    this.#source = source;
  }

  /** Makes sure that elements [first, last) are there or come. */
  want(first: number, last: number): void {
    this.#first = Math.floor(first / PAGE);
    this.#last = Math.floor((last - 1) / PAGE);
    this.#fetchMore();
  }

  /** The text of an element; undefined while its page is not there. */
  get(index: number): string | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Nothing is fetched or told any more. */
  close(): void {
    this.#closed = true;
  }

  #fetchMore(): void {
    for (let page = this.#first; page <= this.#last; page++) {
      if (this.#closed || this.#underWay.size >= MOST_UNDER_WAY) return;
      if (this.#pages.has(page) || this.#underWay.has(page) || this.#failed.has(page)) continue;
      this.#underWay.add(page);
      void this.#fetch(page);
    }
  }

  async #fetch(page: number): Promise<void> {
    try {
      this.#keep(page, await this.#source.fetch(page * PAGE, PAGE));
      if (!this.#closed) this.#source.onChange();
    } catch (error) {
      this.#failed.add(page);
      if (!this.#closed) this.#source.onError(error);
    } finally {
      this.#underWay.delete(page);
      this.#fetchMore();
    }
  }

  #keep(page: number, values: readonly string[]): void {
    this.#pages.set(page, values);
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= MOST_PAGES) return;
      if (old < this.#first || old > this.#last) this.#pages.delete(old);
    }
  }
}
