import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Cost, perElement, pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";

const { fround } = Math;

/** The numbers that this many bits can represent. */
interface Levels {
  readonly lowest: number;
  readonly highest: number;
}

function levelsOf(node: KernelNode): Levels {
  const bits = node.int("num_bits");
  if (bits < 2 || bits > 16) {
    throw invalidArgument(`num_bits must be between 2 and 16, inclusive, was: ${bits}`);
  }
  return { lowest: node.bool("narrow_range") ? 1 : 0, highest: 2 ** bits - 1 };
}

/** The range of the levels, shifted so that one of them is exactly 0. In single precision. */
interface Range {
  readonly min: number;
  readonly max: number;
  /** The distance between two levels. */
  readonly scale: number;
  readonly levelsPerUnit: number;
  /** The number of levels below 0. */
  readonly below: number;
  /** A range that is 0 at both ends maps everything to 0. */
  readonly empty: boolean;
}

function nudged(min: number, max: number, { lowest, highest }: Levels): Range {
  const scale = fround(fround(max - min) / (highest - lowest));
  const zero = fround(lowest - fround(min / scale));
  const level = zero < lowest ? lowest : zero > highest ? highest : Math.floor(zero + 0.5);
  return {
    min: fround((lowest - level) * scale),
    max: fround((highest - level) * scale),
    scale,
    levelsPerUnit: fround((highest - lowest) / fround(max - min)),
    below: level - lowest,
    empty: min === 0 && max === 0,
  };
}

/**
 * The nearest number that a level represents.
 * @param divides whether the level is found by division; TensorFlow divides in FakeQuantWithMinMaxVars and multiplies
 *   in the other ops, which makes a difference for numbers halfway between two levels.
 */
function quantized(x: number, range: Range, divides: boolean): number {
  const { min, max, scale, levelsPerUnit, below, empty } = range;
  if (empty) {
    return 0;
  }
  const shifted = fround(Math.max(Math.min(x, max), min) - min);
  const position = fround(divides ? shifted / scale : shifted * levelsPerUnit);
  const level = Math.floor(fround(fround(position - below) + 0.5));
  return fround(level * scale);
}

/** Ranges for the elements of a tensor: one for all, or one per element of the last dimension. */
function rangesOf(min: Tensor, max: Tensor, levels: Levels): Range[] {
  const [from, to] = [numbersOf(min), numbersOf(max)];
  return Array.from(from, (value, i) => nudged(value, to[i] ?? 0, levels));
}

function quantizeAll(input: Tensor, ranges: readonly Range[], divides: boolean): Tensor {
  const values = numbersOf(input);
  const out = newNumbers("float32", input.shape);
  for (let i = 0; i < out.length; i += 1) {
    out[i] = quantized(values[i] as number, ranges[i % ranges.length] as Range, divides);
  }
  return new Tensor("float32", input.shape, out);
}

/**
 * The gradients of the input and of the ends of the ranges: each gradient goes to the input if the element is within
 * its range, otherwise to the nearer end of the range.
 */
function gradients(
  incoming: Tensor,
  input: Tensor,
  ranges: readonly Range[],
  rangeShape: readonly number[],
): readonly Tensor[] {
  if (!sameShape(incoming.shape, input.shape)) {
    throw invalidArgument(
      `gradient and input must be the same size: ${cppShapeText(incoming.shape)} vs. ${cppShapeText(input.shape)}`,
    );
  }
  const [values, changes] = [numbersOf(input), numbersOf(incoming)];
  const out = newNumbers("float32", input.shape);
  const [below, above] = [new Float64Array(ranges.length), new Float64Array(ranges.length)];
  for (let i = 0; i < out.length; i += 1) {
    const channel = i % ranges.length;
    const { min, max, empty } = ranges[channel] as Range;
    const [x, change] = [values[i] as number, changes[i] as number];
    if (empty || (x >= min && x <= max)) {
      out[i] = change;
    } else if (x < min) {
      below[channel] = (below[channel] as number) + change;
    } else if (x > max) {
      above[channel] = (above[channel] as number) + change;
    }
  }
  return [
    new Tensor("float32", input.shape, out),
    new Tensor("float32", rangeShape, Float32Array.from(below)),
    new Tensor("float32", rangeShape, Float32Array.from(above)),
  ];
}

/** @throws TensorFlowError INVALID_ARGUMENT if a channel has no range, or a scalar range is not a scalar. */
function checkRanges(input: Tensor, min: Tensor, max: Tensor, perChannel: boolean): void {
  const expected = perChannel ? (input.shape.at(-1) ?? 0) : 1;
  if (perChannel && (input.shape.length === 0 || expected === 0)) {
    throw invalidArgument(`inputs must have channels: ${cppShapeText(input.shape)}`);
  }
  for (const [name, { shape, size }] of Object.entries({ min, max })) {
    if (shape.length !== (perChannel ? 1 : 0)) {
      throw invalidArgument(`\`${name}\` must be rank ${perChannel ? 1 : 0} but is rank ${shape.length}`);
    }
    if (size !== expected) {
      throw invalidArgument(`${name} has incorrect size, expected ${expected} was ${size}`);
    }
  }
}

/** The range given by the attributes. */
function fixedRange(node: KernelNode): Range {
  const [min, max] = [node.float("min"), node.float("max")];
  if (!(min < max)) {
    throw invalidArgument(`min has to be smaller than max, was: ${min} >= ${max}`);
  }
  return nudged(min, max, levelsOf(node));
}

const cost = perElement(15);

/** Each channel has its own range object. */
const NANOS_PER_RANGE = 300;

const rangesCost: Cost = (node, inputs) => cost(node, inputs) + (inputs.at(-1)?.size ?? 0) * NANOS_PER_RANGE;

function variableRange(op: string, perChannel: boolean): PureKernelDefinition[] {
  return [
    pureKernel(
      op,
      (node) => {
        const levels = levelsOf(node);
        return (inputs) => {
          const [input, min, max] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
          checkRanges(input, min, max, perChannel);
          return [quantizeAll(input, rangesOf(min, max, levels), !perChannel)];
        };
      },
      { types: noTypes, cost: rangesCost },
    ),
    pureKernel(
      `${op}Gradient`,
      (node) => {
        const levels = levelsOf(node);
        return (inputs) => {
          const [input, min, max] = [inputAt(inputs, 1), inputAt(inputs, 2), inputAt(inputs, 3)];
          checkRanges(input, min, max, perChannel);
          return gradients(inputAt(inputs, 0), input, rangesOf(min, max, levels), min.shape);
        };
      },
      { types: noTypes, cost: rangesCost },
    ),
  ];
}

/** Rounds numbers as if they were stored in a few bits, to train models for quantization. */
export const fakeQuantizationKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "FakeQuantWithMinMaxArgs",
    (node) => {
      const range = fixedRange(node);
      return (inputs) => [quantizeAll(inputAt(inputs, 0), [range], false)];
    },
    { types: noTypes, cost },
  ),
  pureKernel(
    "FakeQuantWithMinMaxArgsGradient",
    (node) => {
      const range = fixedRange(node);
      return (inputs) => gradients(inputAt(inputs, 0), inputAt(inputs, 1), [range], [1]).slice(0, 1);
    },
    { types: noTypes, cost },
  ),
  ...variableRange("FakeQuantWithMinMaxVars", false),
  ...variableRange("FakeQuantWithMinMaxVarsPerChannel", true),
];
