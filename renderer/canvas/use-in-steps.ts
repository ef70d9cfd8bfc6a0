/** Brings many new elements onto the canvas a few with each task, so that input is never blocked by all of them. */
import { useEffect, useMemo, useReducer, useRef } from "react";
import { nextTask } from "../ui/next-task.js";

/** So many elements take a few milliseconds to make, even on a small computer. */
const NEW_AT_ONCE = 24;

interface Element {
  readonly id: string;
}

interface Steps<N, E> {
  readonly nodes: N[];
  readonly edges: E[];
  /** Whether all that are wanted are there. */
  readonly isComplete: boolean;
}

/** The wanted elements that are there already and the next few of the others: nodes first, then the edges between them. */
export function nextStep<N extends Element, E extends Element>(
  wanted: { readonly nodes: N[]; readonly edges: E[] },
  present: ReadonlySet<string>,
  most = NEW_AT_ONCE,
): Steps<N, E> {
  let left = most;
  const isNext = ({ id }: Element) => present.has(id) || left-- > 0;
  const nodes = wanted.nodes.filter(isNext);
  const edges = wanted.edges.filter(isNext);
  // The same lists as before are nothing new for React Flow.
  return left >= 0 ? { ...wanted, isComplete: true } : { nodes, edges, isComplete: false };
}

export function useInSteps<N extends Element, E extends Element>(nodes: N[], edges: E[]): Steps<N, E> {
  const present = useRef<ReadonlySet<string>>(new Set());
  const [step, takeStep] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each step more are present
  const shown = useMemo(() => nextStep({ nodes, edges }, present.current), [nodes, edges, step]);
  useEffect(() => {
    present.current = new Set([...shown.nodes, ...shown.edges].map(({ id }) => id));
    if (shown.isComplete) return;
    let isAwaited = true;
    void nextTask().then(() => isAwaited && takeStep());
    return () => {
      isAwaited = false;
    };
  }, [shown]);
  return shown;
}
