import type { StepContext } from "../../../../../../worker-runtime/engines/portable/executor/step-context.js";
import { UNKNOWN_RANK } from "../../../../../../worker-runtime/graph/attr-values.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, type Program } from "../session-programs.js";

export const of = (...types: string[]) => ({
  output_types: types,
  output_shapes: types.map(() => UNKNOWN_RANK),
});

export const step = (...operations: Operation[]) => ({ operations, feeds: new Map<Operation, Tensor>() });

/** An iterator over a dataset of one component, and the ops that begin it and give its next element. */
export function iterate({ graph }: Program, dataset: Operation, type = "int64") {
  const iterator = graph.op("IteratorV2", [], { shared_name: "", container: "", ...of(type) });
  return {
    begin: graph.op("MakeIterator", [dataset, iterator]),
    next: graph.op("IteratorGetNext", [iterator], of(type)),
  };
}

/** The elements that are left; an error's code in the place of those that it keeps away. */
export async function drain(
  session: MiniSession,
  next: Operation,
  parts: Partial<StepContext> = {},
): Promise<unknown[]> {
  const elements: unknown[] = [];
  for (;;) {
    try {
      const [element] = await session.run(step(next), parts);
      elements.push(element?.toArray());
    } catch (error) {
      const code = error instanceof TensorFlowError ? error.codeName : String(error);
      return code === "OUT_OF_RANGE" ? elements : [...elements, code];
    }
  }
}

/** All elements of a dataset of one component. */
export async function elementsOf(
  program: Program,
  dataset: Operation,
  type = "int64",
  parts: Partial<StepContext> = {},
): Promise<unknown[]> {
  const { begin, next } = iterate(program, dataset, type);
  const session = new MiniSession();
  await session.run(step(begin), parts);
  return drain(session, next, parts);
}
