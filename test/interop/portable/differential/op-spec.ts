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
  /**
   * The dtypes of each type attribute; every combination is drawn. {} for an op without any. What else is registered for
   * the op is drawn, too, each dtype once (plan.ts): the dtypes here are those that deserve every combination.
   */
  readonly types: Readonly<Record<string, readonly DType[]>>;
  /** Draws a case for one choice of dtypes. */
  draw(types: Types): fc.Arbitrary<Drawn>;
  /** Cases that are always included. */
  readonly edges?: (types: Types) => readonly Drawn[];
  /** Defaults to exact. */
  readonly tolerance?: Tolerance;
  /** The tolerance of float16 and bfloat16, where TensorFlow rounds in between. */
  readonly smallFloatTolerance?: Tolerance;
  /** The outputs that are compared, where what the others hold is not said. All unless given. */
  readonly outputs?: readonly number[];
  /** Dtypes with which the inputs are only fed: TensorFlow's optimizer errs with constants of these. */
  readonly onlyFed?: readonly DType[];
  /** Why TensorFlow has no kernel for these cases: both engines refuse them. */
  readonly noKernel?: string;
  /** A note for the table of ops on differences from TensorFlow. */
  readonly note?: string;
}

/** How many cases are drawn for each choice of dtypes, and from which seed. */
export interface Draws {
  readonly count: number;
  readonly seed: number;
}

/** A spec for each of several similar ops. */
export function specsOf(ops: readonly string[], rest: Omit<OpSpec, "op">): OpSpec[] {
  return ops.map((op) => ({ op, ...rest }));
}

/** Every combination of dtypes for the type attributes. */
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
export function casesOf(spec: OpSpec, draws: Draws): OpCase[] {
  return typeChoices(spec).flatMap((types) => [
    ...(spec.edges?.(types) ?? []).map((drawn) => opCase(spec, types, drawn)),
    ...drawnCases(spec, types, draws),
  ]);
}

/** `count` drawn cases of one choice of dtypes. */
export function drawnCases(spec: OpSpec, types: Types, { count, seed }: Draws): OpCase[] {
  return fc.sample(spec.draw(types), { numRuns: count, seed }).map((drawn) => opCase(spec, types, drawn));
}

function opCase(spec: OpSpec, types: Types, { inputs, attrs }: Drawn): OpCase {
  const typeAttrs = Object.fromEntries(
    Object.entries(types).map(([name, dtype]) => [name, attr.type(dtype)]),
  );
  return {
    op: spec.op,
    inputs,
    attrs: { ...typeAttrs, ...attrs },
    tolerance: toleranceOf(spec, types),
    ...(spec.outputs === undefined ? {} : { outputs: spec.outputs }),
    onlyFed: Object.values(types).some((dtype) => spec.onlyFed?.includes(dtype)),
    ...(spec.noKernel === undefined ? {} : { noKernel: spec.noKernel }),
  };
}

function toleranceOf(
  { tolerance = exact, smallFloatTolerance = tolerance }: OpSpec,
  types: Types,
): Tolerance {
  const isSmall = Object.values(types).some((dtype) => dtype === "float16" || dtype === "bfloat16");
  return isSmall ? smallFloatTolerance : tolerance;
}
