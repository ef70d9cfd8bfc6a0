import fc from "fast-check";
import type { DType } from "../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { type Attrs, attr, exact, type OpCase, type Tolerance } from "./op-case.js";

/** The inputs of one case and the attributes other than the types. */
export interface Drawn {
  readonly inputs: readonly Tensor[];
  readonly attrs?: Attrs;
}

/** A dtype for each type attribute. */
export type Types = Readonly<Record<string, DType>>;

/** How cases of one op are made. */
export interface OpSpec {
  readonly op: string;
  /** The dtypes of each type attribute; every combination is drawn. {} for an op without any. */
  readonly types: Readonly<Record<string, readonly DType[]>>;
  /** Draws a case for one choice of dtypes. */
  draw(types: Types): fc.Arbitrary<Drawn>;
  /** Cases that no generator is to miss. */
  readonly edges?: (types: Types) => readonly Drawn[];
  /** exact unless given. */
  readonly tolerance?: Tolerance;
  /** The outputs that are compared, where what the others hold is not said. All unless given. */
  readonly outputs?: readonly number[];
  /** A word for the table of ops on what is not as in TensorFlow. */
  readonly note?: string;
}

/** A spec for each of several ops that are alike. */
export function specsOf(ops: readonly string[], rest: Omit<OpSpec, "op">): OpSpec[] {
  return ops.map((op) => ({ op, ...rest }));
}

/** Every choice of a dtype for each type attribute. */
export function typeChoices({ types }: Pick<OpSpec, "types">): Types[] {
  return Object.entries(types).reduce<Types[]>(
    (choices, [name, dtypes]) => choices.flatMap((one) => dtypes.map((dtype) => ({ ...one, [name]: dtype }))),
    [{}],
  );
}

/**
 * The cases of a spec: its edges and `count` drawn ones for each choice of dtypes. The same seed gives the same cases,
 * whatever other specs there are.
 */
export function casesOf(spec: OpSpec, { count, seed }: { count: number; seed: number }): OpCase[] {
  return typeChoices(spec).flatMap((types) => {
    const typeAttrs = Object.fromEntries(
      Object.entries(types).map(([name, dtype]) => [name, attr.type(dtype)]),
    );
    const drawn = fc.sample(spec.draw(types), { numRuns: count, seed });
    return [...(spec.edges?.(types) ?? []), ...drawn].map(({ inputs, attrs }) => ({
      op: spec.op,
      inputs,
      attrs: { ...typeAttrs, ...attrs },
      tolerance: spec.tolerance ?? exact,
      ...(spec.outputs === undefined ? {} : { outputs: spec.outputs }),
    }));
  });
}
