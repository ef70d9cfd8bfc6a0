/**
 * Runs single nodes in sessions, several steps each, here and in TensorFlow: for stateful kernels, which
 * `against-tensorflow.ts` (eager, one execution) does not compare.
 */
import { nodeOf, type OpCase } from "./op-case.js";
import { differences, Program } from "./session-programs.js";

/** A node and how often its session runs it (twice unless said). Floats are compared to the bit unless said. */
export interface SessionCase extends OpCase {
  readonly steps?: number;
}

/** Runs all cases on both sides; a text for each step that differs in values, dtype, shape, or the error's code. */
export function compareSessions(cases: readonly SessionCase[]): Promise<readonly string[]> {
  return differences(cases.map(programOf));
}

function programOf(one: SessionCase): Program {
  const { op, inputs, attrs = {}, ulps = 0, absolute = 0, steps = 2 } = one;
  const shown = Object.entries(attrs).map(([name, value]) => `${name}=${String(value)}`);
  const program = new Program(`${op}(${shown.join(", ")})`, { ulps, absolute, texts: false });
  const { graph } = program;
  const node = graph.addNode({
    type: op,
    name: "node",
    inputs: inputs.map((value) => graph.op("Const", [], { value, dtype: value.dtype }).output),
    attrs: nodeOf(one).def.attr,
  });
  // A run fetches the first output of each operation.
  const others = node.outputs.slice(1).map((output) => graph.op("Identity", [output]));
  for (let step = 0; step < steps; step += 1) {
    program.run([node, ...others]);
  }
  return program;
}
