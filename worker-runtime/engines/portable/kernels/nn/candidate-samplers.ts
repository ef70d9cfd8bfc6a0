import { setImmediate } from "node:timers/promises";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Philox, PhiloxSamples } from "../random/philox.js";
import { generatorOf } from "../random/seeded-generator.js";
import { checkedSize } from "../support/allocation.js";
import { type Compute, perInput, pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, newLongs, newNumbers } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import {
  type ClassDistribution,
  LearnedClasses,
  logUniformClasses,
  uniformClasses,
} from "./candidate-distributions.js";
import { unigramClasses } from "./unigram-classes.js";

/** How many random numbers TensorFlow reserves for each sample, including rejected ones. */
const RESERVED_SAMPLES = 2048;

interface SamplerRules {
  readonly trueCount: number;
  readonly sampleCount: number;
  readonly unique: boolean;
}

function rulesOf(node: KernelNode): SamplerRules {
  return {
    trueCount: node.int("num_true"),
    sampleCount: node.int("num_sampled"),
    unique: node.bool("unique"),
  };
}

/** The number of classes of a node. @throws TensorFlowError INVALID_ARGUMENT for none. */
function rangeOf(node: KernelNode): number {
  const range = node.int("range_max");
  if (range <= 0) {
    throw invalidArgument(`range_max must be positive, got ${range}`);
  }
  return range;
}

/** Attempts per turn: about two milliseconds on a slow core. */
const TRIES_PER_TURN = 4096;

/** The classes of one execution while they are drawn. Finding classes not yet drawn may take long. */
class Drawing {
  readonly drawn: number[] = [];
  /** How many classes were drawn, including rejected ones. */
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

  /** Draws for one turn. @returns whether all classes have been drawn. */
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

  /** The expected count of each class of a tensor among the drawn ones. */
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

/**
 * The true classes.
 * @throws TensorFlowError INVALID_ARGUMENT for a wrong shape, classes out of range, or more samples than classes.
 */
function truthOf(truth: Tensor, { trueCount, sampleCount, unique }: SamplerRules, range: number): number[] {
  const { shape } = truth;
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
  const classes = integersOf(truth);
  const wrong = classes.find((one) => one < 0 || one >= range);
  if (wrong !== undefined) {
    throw invalidArgument(`\`true_candidate\` out of range [0, ${range}), received ${wrong}`);
  }
  return classes;
}

/** Returns the distribution that a node draws from; a promise if it is read from a file. */
type Classes = (context: OpContext) => ClassDistribution | Promise<ClassDistribution>;

/**
 * @param classesOf called once per node.
 * @param learn called with the true classes after each execution.
 */
function samplerKernel<T extends ClassDistribution>(
  op: string,
  classesOf: (node: KernelNode) => (context: OpContext) => T | Promise<T>,
  learn: (classes: T, truth: readonly number[]) => void = () => undefined,
): KernelDefinition {
  return {
    kind: "stateful",
    op,
    types: noTypes,
    create(node) {
      const rules = rulesOf(node);
      const find = classesOf(node);
      const generator = generatorOf(node);
      const drawFrom = (classes: T, context: OpContext): Outputs | Promise<Outputs> => {
        const input = tensorAt(context.inputs, 0);
        const truth = truthOf(input, rules, classes.range);
        const stream = generator(context).reserveSamples(RESERVED_SAMPLES * rules.sampleCount);
        const drawing = new Drawing(stream, classes, rules);
        const outputs = () => {
          const { drawn } = drawing;
          const made = [
            integerTensor("int64", [drawn.length], drawn),
            drawing.expectedCounts(input.shape, truth),
            drawing.expectedCounts([drawn.length], drawn),
          ];
          learn(classes, truth);
          return made;
        };
        return drawing.advance() ? outputs() : finished(drawing, context).then(outputs);
      };
      return (context) => {
        const classes = find(context);
        return classes instanceof Promise
          ? classes.then((found) => drawFrom(found, context))
          : drawFrom(classes, context);
      };
    },
  };
}

/** Draws in turns until all classes are drawn or the step ends. */
async function finished(drawing: Drawing, { step }: OpContext): Promise<void> {
  do {
    await setImmediate();
    step.signal.throwIfAborted();
  } while (!drawing.advance());
}

/** Added to the logit of a sampled class that is also a true class, to remove it from the softmax. */
const LOWEST_FLOAT = -3.4028234663852886e38;

function findHits(node: KernelNode): Compute {
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
    const indexes = new Map(integersOf(sampled).map((one, index) => [one, index]));
    const rows: number[] = [];
    const hits: number[] = [];
    for (const [i, one] of integersOf(truth).entries()) {
      const index = indexes.get(one);
      if (index !== undefined) {
        rows.push(Math.floor(i / trueCount));
        hits.push(index);
      }
    }
    return [
      integerTensor("int32", [rows.length], rows),
      integerTensor("int64", [hits.length], hits),
      new Tensor("float32", [hits.length], new Float32Array(hits.length).fill(LOWEST_FLOAT)),
    ];
  };
}

/** Each class is looked up in a map. */
const accidentalHits = pureKernel("ComputeAccidentalHits", findHits, { types: noTypes, cost: perInput(300) });

/** A distribution that is the same for every execution. */
function fixedClasses(classesOf: (range: number) => ClassDistribution): (node: KernelNode) => Classes {
  return (node) => {
    const classes = classesOf(rangeOf(node));
    return () => classes;
  };
}

const LEARNED_CLASSES = "tensordeck::LearnedClasses";

/** The counts of a node, shared by all graphs of a session that have it; the kernel's own without a session. */
function learnedClasses(node: KernelNode): (context: OpContext) => LearnedClasses {
  const range = rangeOf(node);
  let own: { readonly classes: LearnedClasses } | undefined;
  return ({ step }) => {
    const make = () => ({ typeName: LEARNED_CLASSES, classes: new LearnedClasses(range) });
    if (step.session === undefined) {
      own ??= make();
      return own.classes;
    }
    const resources = step.resources(node.device);
    const name = resources.privateName(step.session, "", node);
    return resources.lookupOrCreate("", LEARNED_CLASSES, name, make).classes;
  };
}

/** Every class, in order, each expected once; nothing is random. */
const allCandidates = pureKernel(
  "AllCandidateSampler",
  (node) => {
    const rules = rulesOf(node);
    return (inputs) => {
      const truth = inputAt(inputs, 0);
      truthOf(truth, rules, rules.sampleCount);
      const every = newLongs("int64", [rules.sampleCount]).map((_, i) => BigInt(i));
      return [
        new Tensor("int64", [every.length], every),
        new Tensor("float32", truth.shape, new Float32Array(truth.size).fill(1)),
        new Tensor("float32", [every.length], new Float32Array(every.length).fill(1)),
      ];
    };
  },
  { types: noTypes },
);

/** Random classes for losses that are computed over a sample of many classes. */
export const candidateSamplerKernels: readonly KernelDefinition[] = [
  samplerKernel("UniformCandidateSampler", fixedClasses(uniformClasses)),
  samplerKernel("LogUniformCandidateSampler", fixedClasses(logUniformClasses)),
  samplerKernel("FixedUnigramCandidateSampler", unigramClasses),
  ...["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"].map((op) =>
    samplerKernel(op, learnedClasses, (classes, truth) => classes.learn(truth)),
  ),
  allCandidates,
  accidentalHits,
];
