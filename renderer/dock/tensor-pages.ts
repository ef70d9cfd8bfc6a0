import { useEffect, useReducer, useState } from "react";
import type { TensorPreview } from "../../main/api/runs.js";
import { showProblem } from "../stores/app-store.js";
import { client } from "../transport/client.js";
import { PageLoader } from "./page-loader.js";

/**
 * The elements of a tensor, fetched page by page as they come into view.
 *
 * @returns the text of an element, undefined while its page is being fetched
 */
export function useTensorPages(
  runId: string | undefined,
  step: number | undefined,
  tensor: TensorPreview | undefined,
  first: number,
  last: number,
): (index: number) => string | undefined {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [loader, setLoader] = useState<PageLoader>();
  const name = tensor?.name;
  const there = tensor?.values.length ?? 0;
  const count = tensor?.elementCount ?? 0;

  // The values of another step are another tensor's.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step is what tells two tensors of one name apart
  useEffect(() => {
    if (runId === undefined || name === undefined) return;
    const created = new PageLoader({
      fetch: async (offset, amount) =>
        (await client().call("runs.tensor", { runId, name, offset, count: amount })).values,
      onChange: redraw,
      onError: (error) => showProblem(error, { key: "tensor" }),
    });
    setLoader(created);
    return () => created.close();
  }, [runId, step, name]);

  useEffect(() => {
    const from = Math.max(first, there);
    const to = Math.min(last, count);
    if (from < to) loader?.want(from, to);
  }, [loader, first, last, there, count]);

  return (index) => tensor?.values[index] ?? loader?.get(index);
}
