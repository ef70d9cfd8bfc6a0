/** Classes by chance: the same seeds give the same classes, step after step. Images that are written and read again. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";

const truth = Tensor.of([1n, 2n, 7n, 0n], "int64", [2, 2]);

function sampled(g: Graph, op: string, unique: boolean, range: number): Step {
  const node = g.op(op, [truth], {
    num_true: 2,
    num_sampled: 5,
    unique,
    range_max: range,
    seed: 3,
    seed2: 11,
  });
  return { run: [node.outputAt(0), node.outputAt(1), node.outputAt(2)] };
}

const samplers = ["UniformCandidateSampler", "LogUniformCandidateSampler"].map(
  (op): Program => ({
    name: op,
    tolerance: { ulps: 8 },
    build: (g) => {
      const unique = sampled(g, op, true, 8);
      const repeated = sampled(g, op, false, 1000);
      return [unique, unique, repeated, repeated, sampled(g, op, true, 4)];
    },
  }),
);

const images = (["uint8", "uint16"] as const).map(
  (dtype): Program => ({
    name: `encode_png_${dtype}`,
    build: (g) => {
      const step = (channels: number): Step => {
        const size = 3 * 4 * channels;
        const values = Array.from(
          { length: size },
          (_, i) => (i * (dtype === "uint8" ? 37 : 9973)) % 256 ** (dtype === "uint8" ? 1 : 2),
        );
        const file = g.op("EncodePng", [Tensor.of(values, dtype, [3, 4, channels])]).output;
        return { run: [g.op("DecodePng", [file], { dtype }).output] };
      };
      const refused = g.op("EncodePng", [Tensor.of(0, dtype, [2, 2, 5])]).output;
      return [step(1), step(2), step(3), step(4), { run: [refused] }];
    },
  }),
);

export const candidatePrograms: readonly Program[] = samplers;
export const imageFilePrograms: readonly Program[] = images;
