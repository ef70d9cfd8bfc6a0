/** A case of gradients: one operation, or a few, with what is fed to it. */
import type { AttrInput } from "../../../worker-runtime/graph/attr-values.js";
import type { Graph, OpInput, Output } from "../../../worker-runtime/graph/graph.js";
import type { DType } from "../../../worker-runtime/protocol/dtype.js";

export interface GradientCase {
  readonly name: string;
  /** The shapes of what gradients are taken with respect to. */
  readonly shapes: readonly (readonly number[])[];
  /** The range of the random numbers fed; from -2 to 2 unless given. */
  readonly range?: readonly [number, number];
  readonly dtype?: DType;
  /** No comparison by numbers: the function is not smooth where it is fed, or its gradient is not its derivative. */
  readonly notSmooth?: boolean;
  build(graph: Graph, xs: readonly Output[]): Output | readonly Output[];
}

export type Attrs = Readonly<Record<string, AttrInput>>;
export type Rest = Partial<Pick<GradientCase, "range" | "dtype" | "notSmooth">>;

/** One op with the fed tensors as its first inputs and others behind them. */
export function op(
  type: string,
  shapes: GradientCase["shapes"],
  attrs: Attrs = {},
  more: readonly OpInput[] = [],
  rest: Rest = {},
): GradientCase {
  const shown = [JSON.stringify(shapes), ...(Object.keys(attrs).length > 0 ? [JSON.stringify(attrs)] : [])];
  return {
    name: [type, ...shown, ...(more.length > 0 ? [JSON.stringify(more)] : [])].join(" "),
    shapes,
    ...rest,
    build: (graph, xs) => graph.op(type, [...xs, ...more], attrs).output,
  };
}

/** Zeros through which gradients pass. */
export function zerosOf(graph: Graph, x: Output | undefined): Output {
  return graph.op("Sub", [x ?? 0, graph.op("StopGradient", [x ?? 0])]).output;
}

export function custom(
  name: string,
  shapes: GradientCase["shapes"],
  build: GradientCase["build"],
  rest: Rest = {},
): GradientCase {
  return { name, shapes, build, ...rest };
}

/** One op each with a fed matrix. */
export const each = (types: string, rest: Rest = {}) =>
  types.split(" ").map((type) => op(type, [[2, 3]], {}, [], rest));

export const float32: Rest = { dtype: "float32" };
export const flags = [false, true] as const;
