import { useEffect, useMemo, useState } from "react";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { inSlices } from "../document/in-slices.js";
import { MAX_AT_ONCE } from "../stores/background.js";
import { nextTask } from "../ui/next-task.js";

/** Without it every abort would make an exception with a stack trace, which takes longer than what is aborted. */
const OUTDATED = Symbol("outdated");

export interface SlicedOptions<T> {
  /** Number of nodes. */
  readonly size: number;
  readonly work: () => Sliced<T>;
  /** The values from which the result is computed. Their number must not change. */
  readonly of: readonly unknown[];
  /** Results of another subject are not returned: of another document, for example. */
  readonly subject: unknown;
}

/**
 * A result for a component. That of a large graph is computed in slices: meanwhile the one of the earlier state is returned,
 * and at first undefined.
 */
export function useSliced<T>({ size, work, of, subject }: SlicedOptions<T>): T | undefined {
  const isSmall = size <= MAX_AT_ONCE;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what the work depends on
  const now = useMemo(() => (isSmall ? atOnce(work()) : undefined), [isSmall, ...of]);
  const [later, setLater] = useState<{ readonly subject: unknown; readonly result: T }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what the work depends on
  useEffect(() => {
    if (isSmall) return;
    const abort = new AbortController();
    void nextTask()
      .then(() => inSlices(work(), { pause: nextTask, signal: abort.signal }))
      .then(
        (result) => setLater({ subject, result }),
        (error: unknown) => {
          if (!abort.signal.aborted) throw error;
        },
      );
    return () => abort.abort(OUTDATED);
  }, [isSmall, subject, ...of]);
  if (isSmall) return now;
  return later && later.subject === subject ? later.result : undefined;
}
