import { BundleWriter } from "../../../../io/tensor-bundle/bundle-writer.js";
import { openCheckpointReader } from "../../../../io/tensor-bundle/checkpoint-reader.js";
import { mergeBundles } from "../../../../io/tensor-bundle/merge-bundles.js";
import type { CheckpointReader } from "../../../../io/tensor-bundle/saved-tensors.js";
import {
  parseShapeAndSlice,
  sliceShape,
  type TensorSlice,
} from "../../../../io/tensor-bundle/tensor-slice.js";
import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument, notFound, StatusCode, TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { FileAccess } from "../../resources/file-access.js";
import { lastingValue } from "../../resources/reference-variable.js";
import type { Value } from "../../values.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { anyType, cppTypeName, noTypes } from "../support/dtypes.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { textsOf } from "./string-inputs.js";

/** Inputs of SaveV2 before the tensors: prefix, names, shapes and slices. */
const FIXED_INPUTS = 3;

interface Request {
  readonly prefix: string;
  readonly names: readonly string[];
  /** "" for a whole tensor. */
  readonly shapesAndSlices: readonly string[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for inconsistent inputs. */
function requestOf(inputs: readonly Value[]): Request {
  const prefix = tensorAt(inputs, 0);
  const names = tensorAt(inputs, 1);
  const specs = tensorAt(inputs, 2);
  if (prefix.size !== 1) {
    throw invalidArgument(`Input prefix should have a single element, got ${prefix.size} instead.`);
  }
  if (names.shape.length !== 1 || specs.shape.length !== 1) {
    throw invalidArgument(
      `Input tensor_names and shape_and_slices should be an 1-D tensors, got ${cppShapeText(names.shape)} and ${cppShapeText(specs.shape)} instead.`,
    );
  }
  if (names.size !== specs.size) {
    throw invalidArgument(
      `tensor_names and shape_and_slices have different number of elements: ${names.size} vs. ${specs.size}`,
    );
  }
  return { prefix: textsOf(prefix)[0] ?? "", names: textsOf(names), shapesAndSlices: textsOf(specs) };
}

const saveKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "SaveV2",
  types: { dtypes: anyType },
  create() {
    return async ({ inputs, step }) => {
      const request = requestOf(inputs);
      const tensors = inputs.slice(FIXED_INPUTS).map((_, index) => tensorAt(inputs, index + FIXED_INPUTS));
      if (tensors.length !== request.names.length) {
        throw invalidArgument(`Got ${request.names.length} tensor names but ${tensors.length} tensors.`);
      }
      const writer = await BundleWriter.create(request.prefix, step.files);
      try {
        for (const [index, tensor] of tensors.entries()) {
          step.signal.throwIfAborted();
          // Variables may be updated while a checkpoint is written.
          const lasting = await lastingValue(tensor, step);
          await save(writer, request.names[index] ?? "", request.shapesAndSlices[index] ?? "", lasting);
        }
      } catch (error) {
        await writer.abandon();
        throw error;
      }
      await writer.finish();
      return [];
    };
  },
};

async function save(writer: BundleWriter, name: string, spec: string, tensor: Tensor): Promise<void> {
  if (spec === "") {
    return writer.add(name, tensor);
  }
  const part = parseShapeAndSlice(spec);
  if (!sameShape(sliceShape(part.fullShape, part.slice), tensor.shape)) {
    throw invalidArgument(
      `Slice in shape_and_slice specification does not match the shape of the tensor to  save: ${spec}, tensor: ${cppShapeText(tensor.shape)}`,
    );
  }
  await writer.addSlice(name, part, tensor);
}

/** A tensor to restore, as described by the checkpoint's index. */
interface Wanted {
  readonly name: string;
  readonly slice: TensorSlice | undefined;
}

/** @throws TensorFlowError NOT_FOUND or INVALID_ARGUMENT if the checkpoint has no matching tensor. */
function check(reader: CheckpointReader, name: string, spec: string, dtype: DType | undefined): Wanted {
  const info = reader.info(name);
  if (dtype !== undefined && dtype !== info.dtype) {
    throw invalidArgument(
      `tensor_name = ${name}; expected dtype ${cppTypeName(dtype)} does not equal original dtype ${cppTypeName(info.dtype)}`,
    );
  }
  if (spec === "") {
    return { name, slice: undefined };
  }
  const { fullShape, slice } = parseShapeAndSlice(spec);
  if (!sameShape(fullShape, info.shape)) {
    throw invalidArgument(
      `tensor_name = ${name}; shape in shape_and_slice spec ${cppShapeText(fullShape)} does not match the shape stored in checkpoint: ${cppShapeText(info.shape)}`,
    );
  }
  return { name, slice };
}

async function openCheckpoint(prefix: string, files: FileAccess): Promise<CheckpointReader> {
  try {
    return await openCheckpointReader(prefix, files);
  } catch (error) {
    if (error instanceof TensorFlowError && error.code === StatusCode.NOT_FOUND) {
      throw notFound(
        `Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ${prefix}`,
        { cause: error },
      );
    }
    throw error;
  }
}

const restoreKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "RestoreV2",
  types: { dtypes: anyType },
  create(node) {
    const dtypes = node.types("dtypes");
    return async ({ inputs, step }) => {
      const names = tensorAt(inputs, 1);
      if (names.size !== dtypes.length) {
        throw invalidArgument(`Got ${names.size} tensor names, but ${dtypes.length} expected dtypes.`);
      }
      const request = requestOf(inputs);
      const reader = await openCheckpoint(request.prefix, step.files);
      try {
        // Everything is checked before anything is read: a wrong name must not cost gigabytes of reading.
        const wanted = request.names.map((name, index) =>
          check(reader, name, request.shapesAndSlices[index] ?? "", dtypes[index]),
        );
        const tensors: Tensor[] = [];
        for (const { name, slice } of wanted) {
          step.signal.throwIfAborted();
          tensors.push(await reader.read(name, slice));
        }
        return tensors;
      } finally {
        await reader.close();
      }
    };
  },
};

const mergeKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "MergeV2Checkpoints",
  types: noTypes,
  create(node) {
    const options = {
      deleteOldFolders: node.bool("delete_old_dirs"),
      allowMissing: node.has("allow_missing_files") && node.bool("allow_missing_files"),
    };
    return async ({ inputs, step }) => {
      const prefixes = tensorAt(inputs, 0);
      const destination = tensorAt(inputs, 1);
      if (prefixes.shape.length !== 1) {
        throw invalidArgument(
          `Input checkpoint_prefixes should be an 1-D tensor, got ${cppShapeText(prefixes.shape)} instead.`,
        );
      }
      if (destination.shape.length !== 0) {
        throw invalidArgument(
          `Input destination_prefix should be a scalar tensor, got ${cppShapeText(destination.shape)} instead.`,
        );
      }
      await mergeBundles(textsOf(prefixes), textsOf(destination)[0] ?? "", step.files, options);
      return [];
    };
  },
};

/** Saving and restoring variables in TensorFlow's own checkpoint format. */
export const checkpointKernels: readonly StatefulKernelDefinition[] = [
  saveKernel,
  restoreKernel,
  mergeKernel,
];
