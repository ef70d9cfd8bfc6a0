import { create } from "zustand";

/** How curves of scalars are drawn, and what they are compared with. */
export interface CurveStore {
  /** Weight of what was before, from 0 (as measured) to below 1, as in TensorBoard. */
  readonly smoothing: number;
  readonly logarithmic: boolean;
  /** Numbers instead of pictures. */
  readonly asTable: boolean;
  /** The results of the newest step instead of curves; undefined: curves for a run of several steps. */
  readonly showsValues: boolean | undefined;
  /** Runs whose curves are drawn beside those of the document's run. */
  readonly compared: ReadonlySet<string>;
  /** Names of scalars that are not drawn. */
  readonly hidden: ReadonlySet<string>;
}

export const useCurves = create<CurveStore>()(() => ({
  smoothing: 0,
  logarithmic: false,
  asTable: false,
  showsValues: undefined,
  compared: new Set(),
  hidden: new Set(),
}));

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

export const curveActions = {
  setSmoothing: (smoothing: number) => useCurves.setState({ smoothing }),
  toggleLogarithmic: () => useCurves.setState(({ logarithmic }) => ({ logarithmic: !logarithmic })),
  toggleTable: () => useCurves.setState(({ asTable }) => ({ asTable: !asTable })),
  showValues: (showsValues: boolean) => useCurves.setState({ showsValues }),
  toggleCompared: (runId: string) =>
    useCurves.setState(({ compared }) => ({ compared: toggled(compared, runId) })),
  toggleScalar: (name: string) => useCurves.setState(({ hidden }) => ({ hidden: toggled(hidden, name) })),
};
