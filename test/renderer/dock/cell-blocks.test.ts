import { describe, expect, it } from "vitest";
import {
  BLOCK_COLUMNS,
  BLOCK_ROWS,
  type Block,
  CellBlocks,
} from "../../../renderer/dock/tensor/cell-blocks.js";

interface Asked {
  readonly at: readonly [row: number, column: number];
  answer(): Promise<void>;
  refuse(): Promise<void>;
}

function loader() {
  const asked: Asked[] = [];
  const errors: unknown[] = [];
  const seen = { changes: 0 };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const blocks = new CellBlocks({
    fetch: (row, column, rows, columns) =>
      new Promise<Block>((resolve, reject) => {
        asked.push({
          at: [row, column],
          answer: () => {
            const values = Array.from(
              { length: rows * columns },
              (_, i) => `${row + Math.floor(i / columns)},${column + (i % columns)}`,
            );
            resolve({ values, columns });
            return settled();
          },
          refuse: () => {
            reject(new Error("gone"));
            return settled();
          },
        });
      }),
    onChange: () => seen.changes++,
    onError: (error) => errors.push(error),
  });
  return { blocks, asked, errors, seen };
}

const window = (row: number, column: number, rows = 1, columns = 1) => ({
  ...{ firstRow: row, lastRow: row + rows, firstColumn: column, lastColumn: column + columns },
});

describe("CellBlocks", () => {
  it("fetches the blocks of a window and answers their cells", async () => {
    const { blocks, asked, seen } = loader();
    blocks.want(window(BLOCK_ROWS - 1, BLOCK_COLUMNS - 1, 2, 1));
    expect(asked.map(({ at }) => at)).toEqual([
      [0, 0],
      [BLOCK_ROWS, 0],
    ]);
    expect(blocks.get(BLOCK_ROWS, 3)).toBeUndefined();
    await asked[1]?.answer();
    expect(blocks.get(BLOCK_ROWS, 3)).toBe(`${BLOCK_ROWS},3`);
    expect(seen.changes).toBe(1);
    blocks.want(window(BLOCK_ROWS, 0));
    expect(asked).toHaveLength(2);
  });

  it("goes to where scrolling stopped, and keeps what arrives late", async () => {
    const { blocks, asked } = loader();
    blocks.want(window(0, 0, 10 * BLOCK_ROWS, BLOCK_COLUMNS));
    for (let block = 20; block <= 90; block += 10) blocks.want(window(0, block * BLOCK_COLUMNS));
    expect(asked).toHaveLength(2);
    await asked[0]?.answer();
    expect(asked.map(({ at }) => at).at(-1)).toEqual([0, 90 * BLOCK_COLUMNS]);
    expect(asked).toHaveLength(3);
    expect(blocks.get(5, 1)).toBe("5,1");
  });

  it("tells an error once and does not ask again for that block", async () => {
    const { blocks, asked, errors } = loader();
    blocks.want(window(0, 0));
    await asked[0]?.refuse();
    blocks.want(window(0, 0));
    expect(errors).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it("is silent once it is closed", async () => {
    const { blocks, asked, errors, seen } = loader();
    blocks.want(window(0, 0, 5 * BLOCK_ROWS));
    blocks.close();
    await asked[0]?.answer();
    await asked[1]?.refuse();
    expect(asked).toHaveLength(2);
    expect(seen.changes).toBe(0);
    expect(errors).toEqual([]);
  });
});
