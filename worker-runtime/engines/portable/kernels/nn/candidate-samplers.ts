import { setImmediate } from "node:timers/promises";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition, OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Philox, PhiloxSamples } from "../random/philox.js";
import { generatorOf } from "../random/seeded-generator.js";
import { checkedSize } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indicesOf, inputAt, integersOf, integerTensor, newNumbers } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";

/** What TensorFlow sets aside of its stream for each sample, rejected ones included. */
const RESERVED_SAMPLES = 2048;

/** Classes by chance, each with a probability of its own. */
interface ClassDistribution {
  sample(numbers: PhiloxSamples): number;
  probability(of: number): number;
}

/** All classes alike, as TensorFlow draws them: 64-bit numbers that would favour some classes are drawn again. */
function uniformClasses(range: number): ClassDistribution {
  const size = BigInt(range);
  const favoured = (2n ** 64n - 1n) % size;
  const even = (size & (size - 1n)) === 0n;
  return {
    sample(numbers) {
      for (;;) {
        const low = BigInt(numbers.next());
        const drawn = low | (BigInt(numbers.next()) << 32n);
        if (even || drawn > favoured) {
          return Number(drawn % size);
        }
      }
    },
    probability: () => 1 / range,
  };
}

/** Zipf's law, roughly: for classes that are ordered by how frequent they are, the first one the most. */
function logUniformClasses(range: number): ClassDistribution {
  const logRange = Math.log1p(range);
  return {
    sample(numbers) {
      const high = numbers.next() & 0xfffff;
      const fraction = (high * 2 ** 32 + numbers.next()) / 2 ** 52;
      return (Math.trunc(Math.exp(fraction * logRange)) - 1) % range;
    },
    probability: (of) => Math.log((of + 2) / (of + 1)) / logRange,
  };
}

interface SamplerRules {
  readonly trueCount: number;
  readonly sampleCount: number;
  readonly unique: boolean;
  readonly range: number;
}

function rulesOf(node: KernelNode): SamplerRules {
  const rules = {
    trueCount: node.int("num_true"),
    sampleCount: node.int("num_sampled"),
    unique: node.bool("unique"),
    range: node.int("range_max"),
  };
  if (rules.range <= 0) {
    throw invalidArgument(`range_max must be positive, got ${rules.range}`);
  }
  return rules;
}

/** Tries of one turn: about two milliseconds on a slow core. */
const TRIES_PER_TURN = 4096;

/** The classes of one execution while they are drawn: to find ones that were not drawn yet may take long. */
class Drawing {
  readonly drawn: number[] = [];
  /** How many classes were drawn, those that were thrown away included. */
  tries = 0;
  readonly #numbers: PhiloxSamples;
  readonly #classes: ClassDistribution;
  readonly #rules: SamplerRules;
  readonly #seen = new Set<number>();

  constructor(stream: Philox, classes: ClassDistribution, rules: SamplerRules) {
    this.#numbers = new PhiloxSamples(stream);
    this.#classes = classes;
    this.#rules = rules;
  }

  /** Goes on for one turn. @returns whether all classes are there. */
  advance(): boolean {
    const { sampleCount, unique } = this.#rules;
    for (let i = 0; i < TRIES_PER_TURN && this.drawn.length < sampleCount; i += 1) {
      const one = this.#classes.sample(this.#numbers);
      this.tries += 1;
      if (!unique || !this.#seen.has(one)) {
        this.drawn.push(one);
      }
      if (unique) {
        this.#seen.add(one);
      }
    }
    return this.drawn.length >= sampleCount;
  }

  /** How often the classes of a tensor are expected among those that were drawn. */
  expectedCounts(shape: readonly number[], classes: ArrayLike<number>): Tensor {
    const out = newNumbers("float32", shape);
    for (let i = 0; i < classes.length; i += 1) {
      const p = Math.fround(this.#classes.probability(classes[i] as number));
      out[i] =
        this.tries === this.#rules.sampleCount ? p * this.tries : -Math.expm1(this.tries * Math.log1p(-p));
    }
    return new Tensor("float32", shape, out);
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT for true classes of another shape, or more samples than there are classes. */
function checkTruth({ shape }: Tensor, { trueCount, sampleCount, unique, range }: SamplerRules): void {
  if (shape.length !== 2) {
    throw invalidArgument("true_classes must be a matrix");
  }
  if (shape[1] !== trueCount) {
    throw invalidArgument(`true_classes must have num_true columns, expected: ${shape[1]} was: ${trueCount}`);
  }
  if (unique && sampleCount > range) {
    throw invalidArgument("Sampler's range is too small.");
  }
  checkedSize("int64", [sampleCount]);
}

function samplerKernel(op: string, classesOf: (range: number) => ClassDistribution): KernelDefinition {
  return {
    kind: "stateful",
    op,
    create(node) {
      const rules = rulesOf(node);
      const classes = classesOf(rules.range);
      const find = generatorOf(node);
      return (context) => {
        const truth = tensorAt(context.inputs, 0);
        checkTruth(truth, rules);
        const stream = find(context).reserveSamples(RESERVED_SAMPLES * rules.sampleCount);
        const drawing = new Drawing(stream, classes, rules);
        const outputs = () => [
          integerTensor("int64", [drawing.drawn.length], drawing.drawn),
          drawing.expectedCounts(truth.shape, indicesOf(truth)),
          drawing.expectedCounts([drawing.drawn.length], drawing.drawn),
        ];
        return drawing.advance() ? outputs() : finished(drawing, context).then(outputs);
      };
    },
  };
}

/** Draws in turns until all classes are there or the step ends. */
async function finished(drawing: Drawing, { step }: OpContext): Promise<void> {
  do {
    await setImmediate();
    step.signal.throwIfAborted();
  } while (!drawing.advance());
}

/** What takes a sampled class that is a true one out of a softmax. */
const LOWEST_FLOAT = -3.4028234663852886e38;

const accidentalHits = pureKernel("ComputeAccidentalHits", (node) => {
  const trueCount = node.int("num_true");
  return (inputs) => {
    const [truth, sampled] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (truth.shape.length !== 2 || truth.shape[1] !== trueCount) {
      throw invalidArgument(
        `true_candidates must be a batch_size * num_true matrix: ${cppShapeText(truth.shape)}`,
      );
    }
    if (sampled.shape.length !== 1) {
      throw invalidArgument(
        "sampled_candidates must be a vector, which is typically an output from CandidateSampler",
      );
    }
    const places = new Map(integersOf(sampled).map((one, place) => [one, place]));
    const rows: number[] = [];
    const hits: number[] = [];
    for (const [i, one] of integersOf(truth).entries()) {
      const place = places.get(one);
      if (place !== undefined) {
        rows.push(Math.floor(i / trueCount));
        hits.push(place);
      }
    }
    return [
      integerTensor("int32", [rows.length], rows),
      integerTensor("int64", [hits.length], hits),
      new Tensor("float32", [hits.length], new Float32Array(hits.length).fill(LOWEST_FLOAT)),
    ];
  };
});

/** Classes by chance for losses that look at a few of many classes only. */
export const candidateSamplerKernels: readonly KernelDefinition[] = [
  samplerKernel("UniformCandidateSampler", uniformClasses),
  samplerKernel("LogUniformCandidateSampler", logUniformClasses),
  accidentalHits,
];
