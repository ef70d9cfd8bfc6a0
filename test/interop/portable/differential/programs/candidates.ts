/** Classes by chance: the same seeds give the same classes, step after step. Images that are written and read again. */
import path from "node:path";
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

const counts = [1, 2.5, 3, 40, 0.25, 6, 7, 8];

const rulesOf = (unique: boolean, more: Record<string, unknown> = {}) => ({
  num_true: 2,
  num_sampled: 5,
  unique,
  seed: 3,
  seed2: 11,
  ...more,
});

/** All outputs of a sampler's node, several times. */
function sampledOf(g: Graph, op: string, attrs: Parameters<Graph["op"]>[2], times = 1): Step[] {
  const node = g.op(op, [truth], attrs);
  return Array.from({ length: times }, () => ({
    run: [node.outputAt(0), node.outputAt(1), node.outputAt(2)],
  }));
}

const unigrams: readonly Program[] = [
  {
    name: "FixedUnigramCandidateSampler",
    tolerance: { ulps: 8 },
    build: (g) => {
      const op = "FixedUnigramCandidateSampler";
      const given = { range_max: 8, unigrams: counts };
      return [
        ...sampledOf(g, op, rulesOf(true, given), 3),
        ...sampledOf(g, op, rulesOf(false, { ...given, distortion: 0.75 }), 2),
        ...sampledOf(g, op, rulesOf(true, { ...given, range_max: 10, num_reserved_ids: 2 }), 2),
        ...sampledOf(g, op, rulesOf(false, { ...given, range_max: 4, num_shards: 2, shard: 1 })),
        ...sampledOf(g, op, rulesOf(true, { ...given, range_max: 7 })),
        ...sampledOf(g, op, rulesOf(true, { range_max: 8 })),
        ...sampledOf(g, op, rulesOf(true, { ...given, vocab_file: "words" })),
      ];
    },
  },
  {
    name: "FixedUnigramCandidateSampler_of_a_file",
    tolerance: { ulps: 8 },
    build: (g, folder) => {
      const file = path.join(folder, "words.csv");
      const lines = counts.map((count, i) => `word ${i},${count}\n`).join("");
      const attrs = { range_max: 8, vocab_file: file };
      return [
        { run: [g.op("WriteFile", [Tensor.of(file), Tensor.of(lines)])] },
        ...sampledOf(g, "FixedUnigramCandidateSampler", rulesOf(true, attrs), 2),
        ...sampledOf(
          g,
          "FixedUnigramCandidateSampler",
          rulesOf(true, { ...attrs, vocab_file: `${file}.none` }),
        ),
      ];
    },
  },
  ...["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"].map(
    (op): Program => ({
      name: op,
      tolerance: { ulps: 8 },
      build: (g) => [
        ...sampledOf(g, op, rulesOf(true, { range_max: 8 }), 6),
        ...sampledOf(g, op, rulesOf(false, { range_max: 1000 }), 3),
        ...sampledOf(g, op, rulesOf(true, { range_max: 4 })),
        ...sampledOf(g, op, rulesOf(false, { range_max: 4 })),
      ],
    }),
  ),
  {
    name: "AllCandidateSampler",
    build: (g) => [
      ...sampledOf(g, "AllCandidateSampler", rulesOf(true, { num_sampled: 8 })),
      ...sampledOf(g, "AllCandidateSampler", rulesOf(false)),
    ],
  },
];

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

export const candidatePrograms: readonly Program[] = [...samplers, ...unigrams];
export const imageFilePrograms: readonly Program[] = images;
