/** Rows and columns of one request. */
export const BLOCK_ROWS = 64;
export const BLOCK_COLUMNS = 32;
/** Blocks kept; the least recently loaded ones are dropped first. */
const MOST_BLOCKS = 400;
/** Concurrent requests: one being read by the application, one being transferred. */
const MOST_UNDER_WAY = 2;

/** Rows [firstRow, lastRow) and columns [firstColumn, lastColumn). */
export interface CellWindow {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export interface Block {
  /** Row by row. */
  readonly values: readonly string[];
  readonly columns: number;
}

export interface CellSource {
  fetch(row: number, column: number, rows: number, columns: number): Promise<Block>;
  /** Called after a block arrived. */
  onChange(): void;
  onError(error: unknown): void;
}

/**
 * The cells of a grid, block by block. Only what is in the newest window is fetched, so that scrolling through a large
 * tensor fetches the final position rather than everything in between; a block that arrives late is kept nevertheless.
 */
export class CellBlocks {
  readonly #source: CellSource;
  readonly #blocks = new Map<string, Block>();
  readonly #underWay = new Set<string>();
  /** Blocks that failed to load; they are not requested again. */
  readonly #failed = new Set<string>();
  #wanted: readonly (readonly [row: number, column: number])[] = [];
  #closed = false;

  constructor(source: CellSource) {
    this.#source = source;
  }

  /** Makes sure that the cells of a window are there or come. */
  want({ firstRow, lastRow, firstColumn, lastColumn }: CellWindow): void {
    const wanted: [number, number][] = [];
    for (let row = startOf(firstRow, BLOCK_ROWS); row < lastRow; row += BLOCK_ROWS) {
      for (let column = startOf(firstColumn, BLOCK_COLUMNS); column < lastColumn; column += BLOCK_COLUMNS) {
        wanted.push([row, column]);
      }
    }
    this.#wanted = wanted;
    this.#fetchMore();
  }

  /** The text of a cell; undefined while its block is not there. */
  get(row: number, column: number): string | undefined {
    const [firstRow, firstColumn] = [startOf(row, BLOCK_ROWS), startOf(column, BLOCK_COLUMNS)];
    const block = this.#blocks.get(keyOf(firstRow, firstColumn));
    return block?.values[(row - firstRow) * block.columns + column - firstColumn];
  }

  /** No further requests or notifications. */
  close(): void {
    this.#closed = true;
  }

  #fetchMore(): void {
    for (const [row, column] of this.#wanted) {
      if (this.#closed || this.#underWay.size >= MOST_UNDER_WAY) return;
      const key = keyOf(row, column);
      if (this.#blocks.has(key) || this.#underWay.has(key) || this.#failed.has(key)) continue;
      this.#underWay.add(key);
      void this.#fetch(key, row, column);
    }
  }

  async #fetch(key: string, row: number, column: number): Promise<void> {
    try {
      this.#keep(key, await this.#source.fetch(row, column, BLOCK_ROWS, BLOCK_COLUMNS));
      if (!this.#closed) this.#source.onChange();
    } catch (error) {
      this.#failed.add(key);
      if (!this.#closed) this.#source.onError(error);
    } finally {
      this.#underWay.delete(key);
      this.#fetchMore();
    }
  }

  #keep(key: string, block: Block): void {
    this.#blocks.set(key, block);
    const wanted = new Set(this.#wanted.map(([row, column]) => keyOf(row, column)));
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) return;
      if (!wanted.has(old)) this.#blocks.delete(old);
    }
  }
}

function startOf(index: number, size: number): number {
  return Math.floor(index / size) * size;
}

function keyOf(row: number, column: number): string {
  return `${row} ${column}`;
}
