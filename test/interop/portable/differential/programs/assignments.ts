/** Assignments of values that the same step computes, which the engine may run together with what computes them. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";
import { reference, resource } from "./variables.js";

const matrix = Tensor.of([1, 2, 3, 4, 5, 6], "float32", [3, 2]);
const values = [
  Tensor.of([8, 6, 4, 2, 0, -2], "float32", [3, 2]),
  Tensor.of([1, 1, 2, 3, 5, 8], "float32", [3, 2]),
  Tensor.of([0.5, 0.25, 4, 8, -1, -0.5], "float32", [3, 2]),
];
/** Neither of a variable's rank nor of its size. */
const misfit = Tensor.of([1, 2, 3, 4], "float32", [4]);

/** (before + value) / 2 */
function average(g: Graph, before: Output, value: Output): Output {
  const sum = g.op("AddV2", [before, value]).output;
  return g.op("Mul", [sum, Tensor.of(0.5, "float32")]).output;
}

export const assignmentPrograms: readonly Program[] = [
  ...[false, true].map(
    (validateShape): Program => ({
      name: `moving_averages_${validateShape ? "of_one_shape" : "of_any_shape"}`,
      build: (g) => {
        const { handle, init, read } = resource(g, "v", matrix);
        const twin = resource(g, "w", matrix);
        const fed = g.op("Placeholder", [], { dtype: "float32" }).output;
        const after = average(g, read, fed);
        const assign = g.op("AssignVariableOp", [handle, after], { validate_shape: validateShape });
        const both = g.op("AssignVariableOp", [twin.handle, after], { validate_shape: validateShape });
        const feeds = (value: Tensor) => ({ [fed.name]: value });
        const reads = { run: [read, twin.read] };
        const square = g.op("Square", [fed]).output;
        const replaced = g.op("AssignVariableOp", [handle, square], { validate_shape: validateShape });
        return [
          { run: [assign], feeds: feeds(matrix) },
          { run: [init, twin.init] },
          ...values.flatMap((value): Step[] => [{ run: [assign, both, after], feeds: feeds(value) }, reads]),
          ...[misfit, misfit, ...values].flatMap((value): Step[] => [
            { run: [replaced], feeds: feeds(value) },
            reads,
          ]),
        ];
      },
    }),
  ),
  {
    name: "assignments_in_turns",
    build: (g) => {
      const { handle, init, read } = resource(g, "v", matrix);
      const fed = g.op("Placeholder", [], { dtype: "float32" }).output;
      const first = g.op("AssignVariableOp", [handle, average(g, read, fed)]);
      const readAfter = (op: Operation) =>
        g.withControlDependencies([op], () => g.op("ReadVariableOp", [handle], { dtype: "float32" }).output);
      const between = readAfter(first);
      const second = g.op("AssignVariableOp", [handle, average(g, between, fed)]);
      const last = readAfter(second);
      return [
        { run: [init] },
        ...values.map((value) => ({ run: [between, last], feeds: { [fed.name]: value } })),
        { run: [read] },
      ];
    },
  },
  {
    name: "a_reference_that_is_read_before_an_update",
    build: (g) => {
      const { ref, init } = reference(g, "v", matrix);
      const fed = g.op("Placeholder", [], { dtype: "float32" }).output;
      const before = g.op("Identity", [ref]).output;
      const square = g.op("Square", [fed]).output;
      const change = g.withControlDependencies([before], () => g.op("AssignSub", [ref, square]));
      const after = g.withControlDependencies([change], () => g.op("AddV2", [before, matrix])).output;
      return [
        { run: [init.output] },
        ...[...values, ...values].map((value) => ({ run: [after], feeds: { [fed.name]: value } })),
        { run: [ref] },
      ];
    },
  },
  ...[false, true].map(
    (validateShape): Program => ({
      name: `assigned_references_${validateShape ? "of_one_shape" : "of_any_shape"}`,
      build: (g) => {
        const { ref, init } = reference(g, "v", matrix);
        const fed = g.op("Placeholder", [], { dtype: "float32" }).output;
        const square = g.op("Square", [fed]).output;
        const assign = g.op("Assign", [ref, square], { validate_shape: validateShape }).output;
        const next = g.op("Neg", [assign]).output;
        return [
          { run: [init.output] },
          ...[...values, misfit, misfit, ...values].flatMap((value): Step[] => [
            { run: [assign, next], feeds: { [fed.name]: value } },
            { run: [ref] },
          ]),
        ];
      },
    }),
  ),
];
