import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { cppTypeName, noTypes, numberTypes } from "../../support/dtypes.js";
import { integersOf, scalarOf } from "../../support/elements.js";
import { cppShapeText } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { handledResource, resourceKernel } from "../handle-resources.js";
import { statefulKernel } from "../stateful-kernel.js";
import { ConditionalAccumulator, type GradientSum } from "./accumulator.js";
import { DenseGradientSum, type Reduction, type SparseGradient, SparseGradientSum } from "./gradient-sums.js";

/** The kind of all accumulators in handles. */
const ACCUMULATOR = "tensorflow::ConditionalAccumulatorBase";

type Accumulator = ConditionalAccumulator<Tensor> | ConditionalAccumulator<SparseGradient>;

function makerOf<G>(sumOf: (node: KernelNode, reduction: Reduction) => GradientSum<G>) {
  return {
    typeName: ACCUMULATOR,
    prepare: (node: KernelNode) => {
      const reduction = node.string("reduction_type") === "SUM" ? "SUM" : "MEAN";
      return () => new ConditionalAccumulator<G>(ACCUMULATOR, sumOf(node, reduction));
    },
  };
}

const dense = makerOf(
  (node, reduction) => new DenseGradientSum(node.type("dtype"), node.shape("shape"), reduction),
);
const sparse = makerOf(
  (node, reduction) => new SparseGradientSum(node.type("dtype"), node.shape("shape"), reduction),
);

type Act = (accumulator: Accumulator, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

function accumulatorKernel(op: string, types: KernelTypes, act: Act): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => (context) => act(handledResource<Accumulator>(node, context, 0, ACCUMULATOR), context, node),
    { types },
  );
}

function longScalar(context: OpContext, index: number, what: string): bigint {
  const tensor = tensorAt(context.inputs, index);
  if (tensor.shape.length > 0) {
    throw invalidArgument(`Argument ${what} must be scalar, but had bad shape ${cppShapeText(tensor.shape)}`);
  }
  if (tensor.dtype !== "int64") {
    throw invalidArgument(`Argument ${what} must be int64, not ${cppTypeName(tensor.dtype)}`);
  }
  return BigInt(tensor.at(0) as bigint);
}

function checkType({ sum }: Accumulator, node: KernelNode): void {
  const dtype = node.type("dtype");
  if (dtype !== sum.dtype) {
    throw invalidArgument(
      `Expected ${cppTypeName(sum.dtype)} for the gradients of '${node.name}', got ${cppTypeName(dtype)}`,
    );
  }
}

const applyDense: Act = (accumulator, context, node) => {
  if (!(accumulator.sum instanceof DenseGradientSum)) {
    throw invalidArgument(`The accumulator of '${node.name}' takes sparse gradients.`);
  }
  checkType(accumulator, node);
  const localStep = longScalar(context, 1, "local_step");
  (accumulator as ConditionalAccumulator<Tensor>).apply(localStep, tensorAt(context.inputs, 2));
  return [];
};

const applySparse: Act = (accumulator, context, node) => {
  if (!(accumulator.sum instanceof SparseGradientSum)) {
    throw invalidArgument(`The accumulator of '${node.name}' takes dense gradients.`);
  }
  checkType(accumulator, node);
  (accumulator as ConditionalAccumulator<SparseGradient>).apply(longScalar(context, 1, "local_step"), {
    indices: tensorAt(context.inputs, 2),
    values: tensorAt(context.inputs, 3),
    shape: node.bool("has_known_shape") ? integersOf(tensorAt(context.inputs, 4)) : [],
  });
  return [];
};

const take: Act = (accumulator, context, node) => {
  checkType(accumulator, node);
  return accumulator.take(scalarOf(tensorAt(context.inputs, 1), "num_required"), context.step.signal);
};

const countAccumulated: Act = ({ count }) => [new Tensor("int32", [], Int32Array.of(count))];

const setGlobalStep: Act = (accumulator, context) => {
  accumulator.setGlobalStep(longScalar(context, 1, "new_global_step"));
  return [];
};

const ofNumbers = { dtype: numberTypes };

/** Accumulators of gradients: dense (by reference or by handle) and sparse. */
export const accumulatorKernels: readonly KernelDefinition[] = [
  ...["", "Resource"].flatMap((prefix) => [
    resourceKernel(`${prefix}ConditionalAccumulator`, dense, ofNumbers),
    accumulatorKernel(`${prefix}AccumulatorApplyGradient`, ofNumbers, applyDense),
    accumulatorKernel(`${prefix}AccumulatorTakeGradient`, ofNumbers, take),
    accumulatorKernel(`${prefix}AccumulatorNumAccumulated`, noTypes, countAccumulated),
    accumulatorKernel(`${prefix}AccumulatorSetGlobalStep`, noTypes, setGlobalStep),
  ]),
  resourceKernel("SparseConditionalAccumulator", sparse, ofNumbers),
  accumulatorKernel("SparseAccumulatorApplyGradient", ofNumbers, applySparse),
  accumulatorKernel("SparseAccumulatorTakeGradient", ofNumbers, take),
];
