import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelTypes, PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes, noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, longsOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import {
  type Distribution,
  type RandomFloat,
  standardNormal,
  truncatedNormal,
  uniform,
} from "./distributions.js";
import { fillTensor, shapeOf } from "./fill.js";
import { PHILOX_BLOCK_SIZE, Philox, RNG_ALGORITHMS } from "./philox.js";
import {
  fullIntOf,
  randomBitTypes,
  randomFloatOf,
  randomFloatTypes,
  randomIntOf,
  randomIntTypes,
  uniformBetween,
} from "./random-ops.js";

/** The key with which TensorFlow scrambles the seeds of stateless ops. */
const SEED_KEY = [0x3ec8f720, 0x02461e29] as const;

/** Nanoseconds per number on a slow core; the normal distributions take the longest. */
const NANOSECONDS_PER_NUMBER = 60;

/** The stream for the two seeds of a stateless op. @throws TensorFlowError INVALID_ARGUMENT */
export function streamOfSeed(seed: Tensor): Philox {
  if (seed.shape.length !== 1 || seed.shape[0] !== 2) {
    throw invalidArgument(`seed must have shape [2], not ${cppShapeText(seed.shape)}`);
  }
  if (seed.dtype !== "int32" && seed.dtype !== "int64") {
    throw invalidArgument(`Invalid seed type: ${seed.dtype}`);
  }
  const [first = 0n, second = 0n] =
    seed.dtype === "int64" ? longsOf(seed) : integersOf(seed).map((value) => BigInt(value));
  const seeds = [first, second].flatMap((value) => [
    Number(BigInt.asUintN(32, value)),
    Number(BigInt.asUintN(32, value >> 32n)),
  ]);
  const mixed = new Uint32Array(PHILOX_BLOCK_SIZE);
  new Philox(seeds, SEED_KEY).next(mixed);
  return new Philox([0, 0, mixed[2] ?? 0, mixed[3] ?? 0], mixed);
}

/** The stream for the inputs key, counter and alg; `first` is the key. @throws TensorFlowError INVALID_ARGUMENT */
export function streamOfInputs(inputs: readonly Tensor[], first: number): Philox {
  const key = inputAt(inputs, first);
  const counter = inputAt(inputs, first + 1);
  const algorithm = inputAt(inputs, first + 2);
  if (algorithm.shape.length !== 0) {
    throw invalidArgument(
      `input ${first + 2} (alg) must have shape [], not ${cppShapeText(algorithm.shape)}`,
    );
  }
  const [number] = integersOf(algorithm);
  if (number !== RNG_ALGORITHMS.philox && number !== RNG_ALGORITHMS.auto) {
    throw invalidArgument(`Unsupported algorithm id: ${number}`);
  }
  if (key.shape.length !== 1 || key.shape[0] !== 1) {
    throw invalidArgument(
      `key must have shape [1], not ${cppShapeText(key.shape)}. (Note that batched keys are not supported yet.)`,
    );
  }
  if (counter.shape.length !== 1 || (counter.shape[0] ?? 0) < 2) {
    throw invalidArgument(
      `counter must be a vector with length at least 2; got shape: ${cppShapeText(counter.shape)}`,
    );
  }
  const [low = 0n, high = 0n] = longsOf(counter);
  return Philox.ofKeyAndCounter(longsOf(key)[0] ?? 0n, [low, high]);
}

/** The distribution of an op's numbers, given its inputs. */
type DistributionOf = (dtype: DType, inputs: readonly Tensor[]) => Distribution;

function statelessKernel(
  op: string,
  types: KernelTypes,
  streamOf: (inputs: readonly Tensor[]) => Philox,
  distributionOf: DistributionOf,
): PureKernelDefinition {
  const create = (node: KernelNode): Compute => {
    const dtype = node.type("dtype");
    return (inputs) => {
      const stream = streamOf(inputs);
      const shape = shapeOf(inputAt(inputs, 0));
      // The bounds of an empty tensor are not checked, as in TensorFlow.
      const distribution = shape.includes(0) ? emptyDistribution : distributionOf(dtype, inputs);
      return [fillTensor(dtype, shape, distribution, stream)];
    };
  };
  return pureKernel(op, create, {
    types,
    cost: (_, inputs) => productOf(integersOf(inputAt(inputs, 0))) * NANOSECONDS_PER_NUMBER,
  });
}

const emptyDistribution: Distribution = { groupSize: 1, fill: () => undefined };

const seedTypes = [...indexTypes, "uint32", "uint64"] as const;

/** An op in its two forms: with a seed as input 1, and with key, counter and algorithm as inputs 1, 2 and 3. */
function bothForms(
  op: string,
  types: readonly DType[],
  distributionOf: (dtype: DType, inputs: readonly Tensor[], next: number) => Distribution,
): PureKernelDefinition[] {
  return [
    statelessKernel(
      op,
      { dtype: types, T: indexTypes, Tseed: seedTypes },
      (inputs) => streamOfSeed(inputAt(inputs, 1)),
      (dtype, inputs) => distributionOf(dtype, inputs, 2),
    ),
    statelessKernel(
      `${op}V2`,
      { dtype: types, Tshape: indexTypes },
      (inputs) => streamOfInputs(inputs, 1),
      (dtype, inputs) => distributionOf(dtype, inputs, 4),
    ),
  ];
}

function floats(make: (dtype: RandomFloat) => Distribution): (dtype: DType) => Distribution {
  return (dtype) => make(randomFloatOf(dtype));
}

function keyAndCounter(seed: Tensor): Tensor[] {
  const stream = streamOfSeed(seed);
  return [
    new Tensor("uint64", [1], BigUint64Array.of(stream.key)),
    new Tensor("uint64", [2], BigUint64Array.from(stream.counter)),
  ];
}

const philoxAlgorithm = new Tensor("int32", [], Int32Array.of(RNG_ALGORITHMS.philox));

/** Random ops whose numbers depend only on their seeds, and equal TensorFlow's. */
export const statelessRandomKernels: readonly PureKernelDefinition[] = [
  ...bothForms("StatelessRandomUniform", randomFloatTypes, floats(uniform)),
  ...bothForms("StatelessRandomNormal", randomFloatTypes, floats(standardNormal)),
  ...bothForms("StatelessTruncatedNormal", randomFloatTypes, floats(truncatedNormal)),
  ...bothForms("StatelessRandomUniformInt", randomIntTypes, (dtype, inputs, next) =>
    uniformBetween(randomIntOf(dtype), inputAt(inputs, next), inputAt(inputs, next + 1)),
  ),
  ...bothForms("StatelessRandomUniformFullInt", randomBitTypes, fullIntOf),
  pureKernel("StatelessRandomGetKeyCounter", () => (inputs) => keyAndCounter(inputAt(inputs, 0)), {
    types: { Tseed: indexTypes },
  }),
  pureKernel("StatelessRandomGetAlg", () => () => [philoxAlgorithm], { types: noTypes }),
  pureKernel(
    "StatelessRandomGetKeyCounterAlg",
    () => (inputs) => [...keyAndCounter(inputAt(inputs, 0)), philoxAlgorithm],
    { types: { Tseed: indexTypes } },
  ),
];
