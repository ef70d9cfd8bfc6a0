import { useMemo } from "react";
import type { KeptTensor } from "../../main/api/tensors.js";
import {
  keptAxes,
  type Selection,
  selectionShape,
  wholeOf,
} from "../../worker-runtime/protocol/selection.js";
import { perDocument } from "./document-session.js";

export type TensorMode = "values" | "heat-map" | "image" | "line" | "histogram" | "classes" | "text";

/** Digits of numbers in the grid: as few as identify the value, a few significant ones, or so many decimals. */
export type Digits = "auto" | "all" | 1 | 2 | 3 | 4;

/** How a tensor is looked at. */
export interface TensorView {
  readonly mode: TensorMode;
  readonly selection: Selection;
  /** The dimension that runs across; null if all run down. */
  readonly columnAxis: number | null;
  readonly digits: Digits;
  /** Values that an image shows as black and as full brightness; undefined: fitted to the values. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
}

/** A tensor that a kept run fetched. */
export interface TensorOfRun {
  readonly runId: string;
  readonly kept: KeptTensor;
}

export interface TensorTabsStore {
  /** Tensors of the document that are open as tabs of the dock, in the order they were opened. */
  readonly names: readonly string[];
  /** Those of runs that are compared rather than of the newest, by the names of their tabs. */
  readonly ofRuns: ReadonlyMap<string, TensorOfRun>;
  /** The one that the dock showed when another document was shown instead. */
  readonly shown: string | undefined;
  /** How they are looked at, by name and shape; the others in the way that suits them. */
  readonly views: ReadonlyMap<string, TensorView>;
  /** Names of classes, for tensors of scores. */
  readonly labels: readonly string[];
}

export const useTensorTabs = perDocument<TensorTabsStore>(() => ({
  names: [],
  ofRuns: new Map(),
  shown: undefined,
  views: new Map(),
  labels: [],
}));

/** The type and shape of a tensor. */
export interface TensorKind {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
}

const keyOf = ({ name, dtype, shape }: TensorKind) => JSON.stringify([name, dtype, shape]);

/** Smaller pictures are more likely something else. */
const LEAST_IMAGE_SIDE = 8;

export function isNumeric(dtype: string): boolean {
  return dtype !== "string" && dtype !== "resource" && dtype !== "variant";
}

/** Whether a tensor can be an image, or a batch of them: height, width and 1, 3 or 4 channels last. */
export function canBeImage({ dtype, shape }: Pick<TensorKind, "dtype" | "shape">): boolean {
  return isNumeric(dtype) && shape.length >= 3 && [1, 3, 4].includes(shape.at(-1) ?? 0);
}

/** The modes in which a tensor can be shown. */
export function modesOf(kind: TensorKind): TensorMode[] {
  const { dtype, shape } = kind;
  if (dtype === "string") return ["text", "values"];
  if (!isNumeric(dtype)) return ["values"];
  return [
    "values",
    ...(canBeImage(kind) ? (["image"] as const) : []),
    ...(shape.length > 0 ? (["heat-map", "line"] as const) : []),
    "histogram",
    ...(shape.length > 0 && (shape.at(-1) ?? 0) > 1 ? (["classes"] as const) : []),
  ];
}

/** The last two dimensions as rows and columns, the first index of all others; a vector runs down. */
function gridView({ shape }: TensorKind): Pick<TensorView, "selection" | "columnAxis"> {
  const whole = wholeOf(shape);
  return {
    selection: whole.map((range, axis) => (axis < shape.length - 2 && shape[axis] !== 0 ? 0 : range)),
    columnAxis: shape.length < 2 ? null : shape.length - 1,
  };
}

/** The whole of the tensor, whose last dimensions are height, width and channels. */
function imageView({ shape }: TensorKind): Pick<TensorView, "selection" | "columnAxis"> {
  return { selection: wholeOf(shape), columnAxis: shape.length - 1 };
}

function firstView(kind: TensorKind): TensorView {
  const [height = 0, width = 0] = kind.shape.slice(-3);
  const isImage = canBeImage(kind) && Math.min(height, width) >= LEAST_IMAGE_SIDE;
  const mode = isImage ? "image" : kind.dtype === "string" ? "text" : "values";
  return { mode, digits: "auto", range: undefined, ...(isImage ? imageView(kind) : gridView(kind)) };
}

/** How a tensor is looked at now. */
export function viewOf({ views }: Pick<TensorTabsStore, "views">, kind: TensorKind): TensorView {
  return views.get(keyOf(kind)) ?? firstView(kind);
}

/** The same for a component. */
export function useTensorView(kind: TensorKind): TensorView {
  const views = useTensorTabs((state) => state.views);
  const key = keyOf(kind);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the tensor
  return useMemo(() => viewOf({ views }, kind), [views, key]);
}

export const tensorViewActions = {
  /** Changes how a tensor is looked at. A column that is not kept any more is replaced by the last that is. */
  change: (kind: TensorKind, change: Partial<TensorView>): void => {
    useTensorTabs.setState((state) => {
      const view = { ...viewOf(state, kind), ...change };
      const kept = keptAxes(view.selection);
      const isLost = view.columnAxis !== null && !kept.includes(view.columnAxis);
      const columnAxis = isLost ? (kept.length > 1 ? (kept.at(-1) ?? null) : null) : view.columnAxis;
      return { views: new Map(state.views).set(keyOf(kind), { ...view, columnAxis }) };
    });
  },
  /** Another mode; an image needs all of its dimensions, and a grid of a whole batch would be hard to read. */
  setMode: (kind: TensorKind, mode: TensorMode): void => {
    const { selection } = viewOf(useTensorTabs.getState(), kind);
    const kept = selectionShape(selection).length;
    const channels = selection.slice(-3).filter((part) => typeof part === "object").length;
    if (mode === "image" && channels < 3) tensorViewActions.change(kind, { mode, ...imageView(kind) });
    else if (mode !== "image" && kept > 2) tensorViewActions.change(kind, { mode, ...gridView(kind) });
    else tensorViewActions.change(kind, { mode });
  },
  setLabels: (labels: readonly string[]): void => useTensorTabs.setState({ labels }),
};
