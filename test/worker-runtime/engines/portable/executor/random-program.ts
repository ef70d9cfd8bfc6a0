import fc from "fast-check";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { binary, bool, constant, int, node, ret, text, type } from "./graph-fixture.js";

/** A program of int32 numbers; `variable` counts from the innermost one that is bound. */
type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "variable"; readonly index: number }
  | { readonly kind: "AddV2" | "Sub"; readonly a: Expression; readonly b: Expression }
  | {
      readonly kind: "cond";
      readonly a: Expression;
      readonly b: Expression;
      readonly less: Expression;
      readonly other: Expression;
    }
  /** Binds the accumulator, then the counter. */
  | {
      readonly kind: "loop";
      readonly count: number;
      readonly parallel: number;
      readonly init: Expression;
      readonly body: Expression;
    };

export const expressions: fc.Arbitrary<Expression> = fc.letrec<{ any: Expression; leaf: Expression }>(
  (tie) => ({
    leaf: fc.oneof(
      fc.record({ kind: fc.constant("number" as const), value: fc.integer({ min: -3, max: 3 }) }),
      fc.record({ kind: fc.constant("variable" as const), index: fc.nat(4) }),
    ),
    any: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      tie("leaf"),
      fc.record({ kind: fc.constantFrom("AddV2" as const, "Sub" as const), a: tie("any"), b: tie("any") }),
      fc.record({
        kind: fc.constant("cond" as const),
        a: tie("any"),
        b: tie("any"),
        less: tie("any"),
        other: tie("any"),
      }),
      fc.record({
        kind: fc.constant("loop" as const),
        count: fc.nat(3),
        parallel: fc.integer({ min: 1, max: 4 }),
        init: tie("any"),
        body: tie("any"),
      }),
    ),
  }),
).any;

/** The program's computation. */
export function evaluate(expression: Expression, variables: readonly number[] = []): number {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "variable":
      return variables[expression.index % Math.max(variables.length, 1)] ?? 0;
    case "AddV2":
      return (evaluate(expression.a, variables) + evaluate(expression.b, variables)) | 0;
    case "Sub":
      return (evaluate(expression.a, variables) - evaluate(expression.b, variables)) | 0;
    case "cond":
      return evaluate(expression.a, variables) < evaluate(expression.b, variables)
        ? evaluate(expression.less, variables)
        : evaluate(expression.other, variables);
    case "loop": {
      let accumulator = evaluate(expression.init, variables);
      for (let i = 0; i < expression.count; i += 1) {
        accumulator = evaluate(expression.body, [accumulator, i, ...variables]);
      }
      return accumulator;
    }
  }
}

/** The program as a graph of Switch, Merge, Enter and so on, as `tf.cond` and `tf.while_loop` make it; result 0. */
export function graphOf(expression: Expression): readonly NodeDef[] {
  const nodes: NodeDef[] = [];
  const root = new Scope(nodes, undefined, undefined, (tensor) => tensor);
  nodes.push(ret(emit(expression, root, []), 0, "int32"));
  return nodes;
}

const T = type("int32");

interface Variable {
  readonly tensor: string;
  readonly scope: Scope;
}

/** A branch or a loop, which values come into through a Switch or an Enter each. */
class Scope {
  readonly nodes: NodeDef[];
  readonly parent: Scope | undefined;
  /** Runs only where the branch is taken; constants wait for it. */
  readonly pivot: string | undefined;
  readonly #bring: (tensor: string) => string;
  readonly #brought = new Map<string, string>();

  constructor(
    nodes: NodeDef[],
    parent: Scope | undefined,
    pivot: string | undefined,
    bring: (tensor: string) => string,
  ) {
    this.nodes = nodes;
    this.parent = parent;
    this.pivot = pivot;
    this.#bring = bring;
  }

  add(make: (name: string) => NodeDef): string {
    const made = make(`n${this.nodes.length}`);
    this.nodes.push(made);
    return made.name;
  }

  local({ tensor, scope }: Variable): string {
    if (scope === this || this.parent === undefined) {
      return tensor;
    }
    const outer = this.parent.local({ tensor, scope });
    const known = this.#brought.get(outer) ?? this.#bring(outer);
    this.#brought.set(outer, known);
    return known;
  }

  number(value: number): string {
    const control = this.pivot === undefined ? [] : [`^${this.pivot}`];
    return this.add((name) => constant(name, value, "int32", control));
  }
}

function emit(expression: Expression, scope: Scope, variables: readonly Variable[]): string {
  switch (expression.kind) {
    case "number":
      return scope.number(expression.value);
    case "variable": {
      const variable = variables[expression.index % Math.max(variables.length, 1)];
      return variable === undefined ? scope.number(0) : scope.local(variable);
    }
    case "AddV2":
    case "Sub": {
      const a = emit(expression.a, scope, variables);
      const b = emit(expression.b, scope, variables);
      return scope.add((name) => binary(expression.kind, name, a, b, "int32"));
    }
    case "cond":
      return emitCond(expression, scope, variables);
    case "loop":
      return emitLoop(expression, scope, variables);
  }
}

function emitCond(
  { a, b, less, other }: Extract<Expression, { kind: "cond" }>,
  scope: Scope,
  variables: readonly Variable[],
): string {
  const left = emit(a, scope, variables);
  const right = emit(b, scope, variables);
  const predicate = scope.add((name) => binary("Less", name, left, right, "int32"));
  const pivots = scope.add((name) => node("Switch", name, [predicate, predicate], { T: type("bool") }));
  const branch = (slot: number, body: Expression): string => {
    const pivot = scope.add((name) => node("Identity", name, [`${pivots}:${slot}`], { T: type("bool") }));
    const inner = new Scope(scope.nodes, scope, pivot, (tensor) => {
      const at = scope.add((name) => node("Switch", name, [tensor, predicate], { T }));
      return `${at}:${slot}`;
    });
    return emit(body, inner, variables);
  };
  const results = [branch(0, other), branch(1, less)];
  return scope.add((name) => node("Merge", name, results, { T, N: int(2) }));
}

function emitLoop(
  { count, parallel, init, body }: Extract<Expression, { kind: "loop" }>,
  scope: Scope,
  variables: readonly Variable[],
): string {
  const start = emit(init, scope, variables);
  const zero = scope.number(0);
  const limit = scope.number(count);
  const frame = { T, frame_name: text(`frame${scope.nodes.length}`), parallel_iterations: int(parallel) };
  const enter = (tensor: string, isConstant: boolean) =>
    scope.add((name) => node("Enter", name, [tensor], { ...frame, is_constant: bool(isConstant) }));
  const merges = [start, zero].map((tensor) => {
    const entered = enter(tensor, false);
    return scope.add((name) => node("Merge", name, [entered, `${name}next`], { T, N: int(2) }));
  });
  const [accumulator = "", counter = ""] = merges;
  const limitInside = enter(limit, true);
  const less = scope.add((name) => binary("Less", name, counter, limitInside, "int32"));
  const condition = scope.add((name) => node("LoopCond", name, [less]));
  const [accumulators = "", counters = ""] = merges.map((merge) =>
    scope.add((name) => node("Switch", name, [merge, condition], { T })),
  );
  const pivot = scope.add((name) => node("Identity", name, [`${counters}:1`], { T }));
  const inner = new Scope(scope.nodes, scope, pivot, (tensor) => enter(tensor, true));
  const bound = [`${accumulators}:1`, `${counters}:1`].map((tensor) => ({ tensor, scope: inner }));
  const result = emit(body, inner, [...bound, ...variables]);
  // A value from outside is there in every iteration: without this the loop would go on for ever.
  const taken = scope.add((name) => node("Identity", name, [result, `^${pivot}`], { T }));
  const one = inner.number(1);
  const next = scope.add((name) => binary("AddV2", name, `${counters}:1`, one, "int32"));
  scope.nodes.push(node("NextIteration", `${accumulator}next`, [taken], { T }));
  scope.nodes.push(node("NextIteration", `${counter}next`, [next], { T }));
  return scope.add((name) => node("Exit", name, [accumulators], { T }));
}
