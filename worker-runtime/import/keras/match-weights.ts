/** Which variables of a graph the weights of a file belong to, by the names of layers. Pure. */
import type { Shape } from "../../graph/shape.js";
import type { DType } from "../../protocol/dtype.js";
import type { Tensor } from "../../protocol/tensor.js";
import type { SavedLayer, SavedWeight } from "./read-weights.js";

export interface NamedVariable {
  /** "dense/kernel": a layer's variables are in its scope. */
  readonly name: string;
  readonly dtype: DType;
  /** Undefined for an unknown rank. */
  readonly shape: Shape | undefined;
}

export interface MatchedWeights {
  /** By the names of variables. */
  readonly values: ReadonlyMap<string, Tensor>;
  /** Layers of the file that suit no variables of the graph. */
  readonly unused: readonly string[];
}

/**
 * A layer's weights are those of the variables in the scope of its name: by their own names, where the file has them,
 * or those of a layer within it, otherwise in the order in which the graph has the variables, if dtypes and shapes are the same.
 */
export function matchWeights(
  variables: readonly NamedVariable[],
  layers: readonly SavedLayer[],
): MatchedWeights {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const values = new Map<string, Tensor>();
  const unused: string[] = [];
  for (const layer of layers) {
    const pairs = pairsOf(layer, variables, byName);
    if (!pairs) unused.push(layer.name);
    else for (const [name, value] of pairs) values.set(name, value);
  }
  return { values, unused };
}

type Pair = readonly [name: string, value: Tensor];

function pairsOf(
  { name, weights }: SavedLayer,
  variables: readonly NamedVariable[],
  byName: ReadonlyMap<string, NamedVariable>,
): readonly Pair[] | undefined {
  const named = weights.map((weight) => byName.get(weight.name));
  const inScope = variables.filter((variable) => variable.name.startsWith(`${name}/`));
  return (
    paired(named, weights) ??
    paired(byTails(inScope, weights), weights) ??
    paired(inScope, weights) ??
    paired(inScope, weights.filter(isNoCounter))
  );
}

/** By layer and name, for the layers of a model within a model; only if no two have the same. */
function byTails(
  variables: readonly NamedVariable[],
  weights: readonly SavedWeight[],
): readonly (NamedVariable | undefined)[] {
  const tail = (name: string) => name.split("/").slice(-2).join("/");
  const found = new Map(variables.map((variable) => [tail(variable.name), variable]));
  const isUnique = found.size === variables.length;
  return isUnique ? weights.map(({ name }) => found.get(tail(name))) : [];
}

function paired(
  variables: readonly (NamedVariable | undefined)[],
  weights: readonly SavedWeight[],
): readonly Pair[] | undefined {
  if (variables.length !== weights.length) return undefined;
  const pairs = weights.flatMap(({ value }, at): Pair[] => {
    const variable = variables[at];
    return variable && fits(variable, value) ? [[variable.name, value]] : [];
  });
  return pairs.length === weights.length ? pairs : undefined;
}

/** Keras counts what a Normalization was adapted to, which nothing is computed from. */
function isNoCounter({ value }: SavedWeight): boolean {
  return value.dtype === "float32" || value.shape.length > 0;
}

function fits({ dtype, shape }: NamedVariable, value: Tensor): boolean {
  return (
    dtype === value.dtype &&
    (shape === undefined ||
      (shape.length === value.shape.length &&
        shape.every((size, axis) => size < 0 || size === value.shape[axis])))
  );
}
