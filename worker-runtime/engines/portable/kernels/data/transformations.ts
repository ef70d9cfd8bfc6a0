import {
  failedPrecondition,
  invalidArgument,
  StatusCode,
  TensorFlowError,
} from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { scalarOf } from "../support/elements.js";
import { cardinality } from "./cardinality.js";
import {
  countInput,
  type Dataset,
  datasetKernel,
  datasetOf,
  type Element,
  type Pull,
  repeated,
  transformation,
} from "./dataset.js";

function repeat(input: Dataset, context: OpContext): () => Pull {
  return repeated(() => input.iterate(), countInput(context, 1, "count"));
}

function take(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "count");
  return () => {
    const pull = input.iterate();
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    return async (step) => {
      left -= 1;
      return left < 0 ? undefined : pull(step);
    };
  };
}

function skip(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "count");
  return () => {
    const pull = input.iterate();
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    return async (step) => {
      for (; left > 0; left -= 1) {
        if ((await pull(step)) === undefined) {
          return undefined;
        }
      }
      return pull(step);
    };
  };
}

function shard(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "num_shards");
  const index = countInput(context, 2, "index");
  if (count < 1 || index < 0 || index >= count) {
    throw invalidArgument(
      `Index must be between 0 and ${count - 1} (currently index = ${index}, num_shards = ${count})`,
    );
  }
  return () => {
    const pull = input.iterate();
    let at = 0;
    return async (step) => {
      for (;;) {
        const element = await pull(step);
        at += 1;
        if (element === undefined || (at - 1) % count === index) {
          return element;
        }
      }
    };
  };
}

function zip(context: OpContext): () => Pull {
  const inputs = context.inputs.map(datasetOf);
  return () => {
    const pulls = inputs.map((input) => input.iterate());
    return async (step) => {
      const parts: Element[] = [];
      for (const pull of pulls) {
        const part = await pull(step);
        if (part === undefined) {
          return undefined;
        }
        parts.push(part);
      }
      return parts.flat();
    };
  };
}

function concatenate(first: Dataset, context: OpContext): () => Pull {
  const second = datasetOf(context.inputs[1]);
  return () => {
    let pull = first.iterate();
    let isSecond = false;
    return async (step) => {
      const element = await pull(step);
      if (element !== undefined || isSecond) {
        return element;
      }
      isSecond = true;
      pull = second.iterate();
      return pull(step);
    };
  };
}

/** Elements of datasets in the order given by a selector dataset of their indexes. */
function directedInterleave(selector: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const inputs = context.inputs.slice(1).map(datasetOf);
  const stopsWithFirst = node.bool("stop_on_empty_dataset");
  return () => {
    const pulls: (Pull | undefined)[] = inputs.map((input) => input.iterate());
    const pullIndex = selector.iterate();
    return async (step) => {
      while (pulls.some((pull) => pull !== undefined)) {
        const [index] = (await pullIndex(step)) ?? [];
        if (index === undefined) {
          return undefined;
        }
        const at = index instanceof Tensor ? scalarOf(index, "The selector's element") : -1;
        if (at < 0 || at >= inputs.length) {
          throw invalidArgument(`Selector index out of range: ${at} >= ${inputs.length}`);
        }
        const element = await pulls[at]?.(step);
        if (element !== undefined) {
          return element;
        }
        if (stopsWithFirst) {
          return undefined;
        }
        pulls[at] = undefined;
      }
      return undefined;
    };
  };
}

/** Keeps the first occurrence of each element. */
function unique(input: Dataset): () => Pull {
  return () => {
    const pull = input.iterate();
    const seen = new Set<string>();
    return async (step) => {
      for (;;) {
        const element = await pull(step);
        const [value] = element ?? [];
        if (element === undefined || !(value instanceof Tensor)) {
          return element;
        }
        const key = identityOf(value);
        if (!seen.has(key)) {
          seen.add(key);
          return element;
        }
      }
    };
  };
}

/** A text that is the same for two tensors of one dtype only if they are equal. */
function identityOf({ shape, data }: Tensor): string {
  const elements = isByteList(data)
    ? data.map((bytes) => Buffer.from(bytes).toString("latin1"))
    : Array.from(data, String);
  return JSON.stringify([shape, elements]);
}

/** Skips elements whose computation fails. */
function ignoreErrors(input: Dataset): () => Pull {
  return () => {
    const pull = input.iterate();
    return async (step) => {
      for (;;) {
        try {
          return await pull(step);
        } catch (error) {
          step.signal.throwIfAborted();
          if (!(error instanceof TensorFlowError) || error.code === StatusCode.CANCELLED) {
            throw error;
          }
        }
      }
    };
  };
}

/** Fails if there are more or fewer elements than asserted. */
function assertCardinality(input: Dataset, context: OpContext): () => Pull {
  const expected = countInput(context, 1, "cardinality");
  return () => {
    const pull = input.iterate();
    let count = 0;
    return async (step) => {
      const element = await pull(step);
      count += element === undefined ? 0 : 1;
      // -1 for endless, -2 for unknown.
      if (
        (element === undefined && expected !== -2 && count !== expected) ||
        (expected >= 0 && count > expected)
      ) {
        const wanted = expected === -1 ? "an infinite number of" : expected;
        const given = element === undefined ? `${count} element(s)` : `at least ${count} element(s)`;
        throw failedPrecondition(
          `Input dataset was expected to contain ${wanted} element(s) but contained ${given}.`,
        );
      }
      return element;
    };
  };
}

/** Returns the elements unchanged: these ops only request optimizations in TensorFlow. */
function same(input: Dataset): () => Pull {
  return () => input.iterate();
}

/** Ops that return their input dataset unchanged: they control how it is computed, not its elements. */
const unchangedDatasets = [
  "PrefetchDataset",
  "OptionsDataset",
  "FinalizeDataset",
  "ModelDataset",
  "OptimizeDataset",
  "RewriteDataset",
  "MaxIntraOpParallelismDataset",
  "PrivateThreadPoolDataset",
] as const;

/** Datasets derived from other datasets without functions of the graph. */
export const transformationKernels: readonly StatefulKernelDefinition[] = [
  transformation("RepeatDataset", { cardinality: cardinality.repeated }, repeat),
  transformation("TakeDataset", { cardinality: cardinality.taken }, take),
  transformation("SkipDataset", { cardinality: cardinality.skipped }, skip),
  transformation("ShardDataset", { cardinality: cardinality.sharded }, shard),
  transformation("ConcatenateDataset", { cardinality: cardinality.concatenated }, concatenate),
  datasetKernel("ZipDataset", { cardinality: cardinality.zipped }, () => zip),
  transformation("DirectedInterleaveDataset", { cardinality: cardinality.chosen }, directedInterleave),
  transformation("UniqueDataset", {}, unique),
  transformation("IgnoreErrorsDataset", {}, ignoreErrors),
  transformation("AssertCardinalityDataset", { cardinality: cardinality.given(1) }, assertCardinality),
  ...unchangedDatasets.map((op) => transformation(op, { cardinality: cardinality.same }, same)),
];
