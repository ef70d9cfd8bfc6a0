/** The computation of attention heads; their projections are the layer's. */
import type { Output } from "../operation.js";
import type { NodeBuilder } from "./node-builder.js";

export interface Heads {
  /** [batch, targets, heads, size]. */
  readonly query: Output;
  /** [batch, sources, heads, size]. */
  readonly key: Output;
  readonly value: Output;
  /** The size of a head of the query. */
  readonly size: number;
  /** Added to the scores [batch, heads, targets, sources], such as −10⁹ for what must not be seen. */
  readonly bias?: Output | undefined;
}

/** Each target's mean of the values, weighted by how well its query suits their keys: [batch, targets, heads, size]. */
export function attend(layer: NodeBuilder, { query, key, value, size, bias }: Heads): Output {
  const scaled = layer.op("Mul", [query, layer.scalar(1 / Math.sqrt(size), "scale")]);
  const scores = layer.einsum("aecd,abcd->acbe", key, scaled);
  const weights = layer.op("Softmax", [bias ? layer.op("AddV2", [scores, bias]) : scores]);
  return layer.einsum("acbe,aecd->abcd", weights, value);
}
