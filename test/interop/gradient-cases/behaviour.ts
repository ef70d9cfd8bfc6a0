/** Gradients of graphs of several ops. */
import { custom, type GradientCase } from "./case.js";

export const BEHAVIOUR: readonly GradientCase[] = [
  custom("a tensor used several times", [[2, 3]], (graph, [x]) => {
    const square = graph.op("Square", [x ?? 0]);
    return graph.op("AddV2", [graph.op("Mul", [square, x ?? 0]), square]).output;
  }),
  custom(
    "StopGradient",
    [[2, 3]],
    (graph, [x]) => graph.op("Mul", [graph.op("StopGradient", [x ?? 0]), x ?? 0]).output,
    { notSmooth: true },
  ),
  custom("one side of Switch and Merge", [[], [2]], (graph, [x, y]) => {
    const predicate = graph.op("Greater", [x ?? 0, 0]);
    const taken = graph.op("Switch", [y ?? 0, predicate]);
    const merged = graph.op("Merge", [
      [graph.op("Square", [taken.outputAt(0)]), graph.op("Exp", [taken.outputAt(1)])],
    ]);
    return graph.op("Mul", [merged.outputAt(0), x ?? 0]).output;
  }),
  custom("a branch that leaves its input unused", [[], [2]], (graph, [x, y]) => {
    const predicate = graph.op("Less", [x ?? 0, 100]);
    const taken = graph.op("Switch", [y ?? 0, predicate]);
    const other = graph.op("Switch", [x ?? 0, predicate]);
    const wide = graph.op("BroadcastTo", [other.outputAt(1), [2]]);
    const merged = graph.op("Merge", [[graph.op("Exp", [taken.outputAt(0)]), wide]]);
    return merged.outputAt(0);
  }),
];
