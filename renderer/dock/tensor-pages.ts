import { useEffect, useState } from "react";
import type { TensorPreview } from "../../main/api/runs.js";
import { client } from "../client.js";
import { showProblem } from "../stores/app-store.js";

/** Elements asked for at once. */
const PAGE = 2000;
/** Pages kept; the oldest go first. */
const MOST_PAGES = 200;

interface Kept {
  /** Run, step and tensor that the pages belong to. */
  readonly of: string;
  readonly pages: ReadonlyMap<number, readonly string[]>;
}

/**
 * The elements of a tensor, fetched page by page as they come into view.
 *
 * @returns the text of an element, undefined while its page is under way
 */
export function useTensorPages(
  runId: string | undefined,
  step: number | undefined,
  tensor: TensorPreview | undefined,
  first: number,
  last: number,
): (index: number) => string | undefined {
  const of = `${runId} ${step} ${tensor?.name}`;
  const [kept, setKept] = useState<Kept>({ of, pages: new Map() });
  const pages = kept.of === of ? kept.pages : undefined;
  const firstPage = Math.floor(Math.max(first, tensor?.values.length ?? 0) / PAGE);
  const lastPage = Math.floor(Math.max(0, Math.min(last, tensor?.elementCount ?? 0) - 1) / PAGE);
  const complete = tensor === undefined || tensor.values.length >= Math.min(last, tensor.elementCount);

  useEffect(() => {
    if (runId === undefined || tensor === undefined || complete) return;
    let stale = false;
    const add = (page: number, values: readonly string[]) =>
      setKept((before) => {
        const entries = before.of === of ? [...before.pages] : [];
        return { of, pages: new Map([...entries, [page, values] as const].slice(-MOST_PAGES)) };
      });
    for (let page = firstPage; page <= lastPage; page++) {
      if (pages?.has(page)) continue;
      client()
        .call("runs.tensor", { runId, name: tensor.name, offset: page * PAGE, count: PAGE })
        .then(({ values }) => {
          if (!stale) add(page, values);
        })
        .catch((error: unknown) => {
          if (!stale) showProblem(error, { key: "tensor" });
        });
    }
    return () => {
      stale = true;
    };
  }, [of, runId, tensor, complete, firstPage, lastPage, pages]);

  return (index) => tensor?.values[index] ?? pages?.get(Math.floor(index / PAGE))?.[index % PAGE];
}
