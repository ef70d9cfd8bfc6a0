/** Sounds in summaries, byte by byte. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { scalar, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";

const sounds = fc
  .constantFrom([2, 3], [1, 4, 2], [3, 0], [2])
  .chain((shape) => tensor("float32", shape, "unit"));
const most = fc.constantFrom(1, 2, 3);
const rates = fc.constantFrom(8000, 44100.5, 0.25);
const loud = Tensor.of([[2, -2, 0.5, -0.5, 1e-5]], "float32");

export const soundSpecs: readonly OpSpec[] = [
  {
    op: "AudioSummaryV2",
    types: {},
    draw: () =>
      fc.tuple(sounds, most, rates).map(([sound, count, rate]) => ({
        inputs: [scalar("string", "tag"), sound, scalar("float32", rate)],
        attrs: { max_outputs: attr.int(count) },
      })),
    edges: () => [
      { inputs: [scalar("string", "tag"), loud, scalar("float32", 100)] },
      { inputs: [scalar("string", "tag"), loud, scalar("float32", 0)] },
      { inputs: [Tensor.of(["two", "tags"]), loud, scalar("float32", 100)] },
    ],
  },
];
