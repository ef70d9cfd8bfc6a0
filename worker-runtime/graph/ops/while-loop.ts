import { invalidArgument } from "../../protocol/status.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Operation, Output } from "../operation.js";
import { mergeShapes } from "../shape.js";
import { type OpOptions, toTensor } from "./common.js";
import { enter, exit, loopCond, nextIteration, switchOn } from "./control-flow.js";

export interface WhileLoopOptions extends OpOptions {
  /** How many iterations may run concurrently; defaults to 10. */
  readonly parallelIterations?: number | undefined;
}

/** Makes tensors from outside usable inside a loop: each enters it once, as a loop invariant. */
class LoopCaptures {
  readonly #entered = new Map<Output, Output>();
  readonly #inside = new Set<Operation>();
  #entering = false;

  constructor(
    readonly graph: Graph,
    readonly frameName: string,
    readonly parallelIterations: number | undefined,
  ) {}

  belongs(...outputs: readonly Output[]): void {
    for (const output of outputs) this.#inside.add(output.op);
  }

  /** @param isReplaced whether a loop around this one let the tensor enter */
  capture(before: ReadonlySet<Operation>, input: Output, isReplaced = false): Output {
    const isOutside = isReplaced || before.has(input.op) || this.graph.isOutsideLoops(input.op);
    if (this.#entering || this.#inside.has(input.op) || !isOutside) return input;
    const known = this.#entered.get(input);
    if (known) return known;
    this.#entering = true;
    try {
      const { frameName, parallelIterations } = this;
      // The tensor enters as soon as it is available, not when an iteration begins.
      const entered = this.graph.withControlDependencies(undefined, () =>
        enter(input, { frameName, parallelIterations, isConstant: true }),
      );
      this.#entered.set(input, entered);
      this.#inside.add(entered.op);
      return entered;
    } finally {
      this.#entering = false;
    }
  }
}

/**
 * Runs `body` repeatedly while `condition` holds, as tf.while_loop does in a graph: with the primitives Enter,
 * Merge, Switch, NextIteration and Exit. Tensors from outside may be used in both.
 * @param condition computes a bool scalar from the loop variables
 * @param body computes the next values of the variables, in the same number and with the same dtypes
 * @returns the variables after the last iteration
 */
export function whileLoop(
  graph: Graph,
  condition: (...variables: readonly Output[]) => Output,
  body: (...variables: readonly Output[]) => readonly Output[],
  initial: readonly OpValue[],
  options: WhileLoopOptions = {},
): readonly Output[] {
  if (initial.length === 0) throw invalidArgument("A loop needs at least one variable.");
  const { parallelIterations } = options;
  return graph.withNameScope(options.name ?? "while", (scope) => {
    const frameName = `${scope}while_context`;
    const values = initial.map((value) => toTensor(graph, value, "Const"));
    const outside = new Set(graph.operations);
    const entered = values.map((value) => enter(value, { frameName, parallelIterations }));
    const loop = new LoopCaptures(graph, frameName, parallelIterations);
    // Inside, nothing waits for what the loop waits for: its variables have, as they entered.
    return graph.withControlDependencies(undefined, () =>
      buildLoop(loop, values, entered, outside, condition, body),
    );
  });
}

function buildLoop(
  loop: LoopCaptures,
  values: readonly Output[],
  entered: readonly Output[],
  outside: ReadonlySet<Operation>,
  condition: (...variables: readonly Output[]) => Output,
  body: (...variables: readonly Output[]) => readonly Output[],
): readonly Output[] {
  const { graph } = loop;
  const merges = entered.map((value) => graph.op("Merge", [[value, value]]).output);
  loop.belongs(...entered, ...merges);
  const within = <T>(pivot: Output, make: () => T): T =>
    graph.withCapture(
      (input, isReplaced) => loop.capture(outside, input, isReplaced),
      () => graph.withControlDependencies([pivot], make),
    );
  const [firstMerge] = merges;
  if (!firstMerge) throw invalidArgument("A loop needs at least one variable.");
  const goesOn = within(firstMerge, () => condition(...merges));
  const decided = loopCond(goesOn);
  const switched = merges.map((value) => graph.withColocation(value, () => switchOn(value, decided)));
  const bodyInputs = switched.map(({ whenTrue }) => graph.op("Identity", [whenTrue]).output);
  const [firstInput] = bodyInputs;
  const results = firstInput ? within(firstInput, () => body(...bodyInputs)) : [];
  if (results.length !== values.length) {
    throw invalidArgument(
      `The loop has ${values.length} variables, but its body makes ${results.length} values.`,
    );
  }
  results.forEach((result, i) => {
    const [before, merged] = [values[i], merges[i]];
    if (!before || !merged) return;
    if (result.dtype !== before.dtype) {
      throw invalidArgument(
        `Loop variable ${i} is ${before.dtype}, but the body makes ${result.dtype} of it.`,
      );
    }
    mergeShapes(before.shape, result.shape, `Loop variable ${i} must keep its shape`);
    const next = within(firstInput ?? merged, () => inLoop(loop, outside, result));
    graph.updateInput(merged.op, 1, nextIteration(next));
  });
  return switched.map(({ whenFalse }) => exit(whenFalse));
}

/**
 * A result of the body that is a tensor from outside must also enter the loop, and be there only in an iteration that
 * has a next one: what enters once is there in every one, without end.
 */
function inLoop(loop: LoopCaptures, outside: ReadonlySet<Operation>, result: Output): Output {
  const entered = loop.capture(outside, result);
  return entered === result ? result : loop.graph.op("Identity", [entered]).output;
}
