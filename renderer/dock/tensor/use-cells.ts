import { useEffect, useReducer, useState } from "react";
import { showProblem } from "../../stores/app-store.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { client } from "../../transport/client.js";
import { CellBlocks, type CellWindow } from "./cell-blocks.js";
import type { TensorSource } from "./tensor-source.js";

/**
 * The cells of a part of a tensor, fetched block by block as they come into view.
 *
 * @returns the text of a cell, undefined while it is being fetched
 */
export function useCells(
  { address, step }: TensorSource,
  { selection, columnAxis }: Pick<TensorView, "selection" | "columnAxis">,
  view: CellWindow,
): (row: number, column: number) => string | undefined {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [blocks, setBlocks] = useState<CellBlocks>();
  const key = JSON.stringify([address, selection, columnAxis]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the part, and the step tells its values apart
  useEffect(() => {
    const created = new CellBlocks({
      fetch: (row, column, rows, columns) =>
        client().call("tensors.cells", {
          tensor: address,
          selection: [...selection],
          columnAxis,
          rows: { from: row, count: rows },
          columns: { from: column, count: columns },
        }),
      onChange: redraw,
      onError: (error) => showProblem(error, { key: "tensor" }),
    });
    setBlocks(created);
    return () => created.close();
  }, [key, step]);
  const { firstRow, lastRow, firstColumn, lastColumn } = view;
  useEffect(() => {
    if (firstRow < lastRow && firstColumn < lastColumn) {
      blocks?.want({ firstRow, lastRow, firstColumn, lastColumn });
    }
  }, [blocks, firstRow, lastRow, firstColumn, lastColumn]);
  return (row, column) => blocks?.get(row, column);
}
