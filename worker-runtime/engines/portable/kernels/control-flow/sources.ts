import { parseDeviceName } from "../../../../cluster/device-name.js";
import { aborted, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { zeros } from "../../../../protocol/tensor-data.js";
import { ObjectTensor, type Value } from "../../values.js";
import type { KernelDefinition, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { anyType, cppTypeName, noTypes, tensorTypes } from "../support/dtypes.js";

/** Returns the tensor of the node's attribute. */
function makeConst(node: KernelNode): () => readonly Tensor[] {
  const value = node.tensor("value");
  const dtype = node.type("dtype");
  if (value.dtype !== dtype) {
    throw invalidArgument(
      `Type mismatch between value (${cppTypeName(value.dtype)}) and dtype (${cppTypeName(dtype)})`,
    );
  }
  const outputs = [value];
  return () => outputs;
}

/** A placeholder runs only if it was not fed. */
function makePlaceholder(node: KernelNode): () => never {
  const dtype = node.type("dtype");
  const shape = node.has("shape") ? node.shape("shape") : undefined;
  const sizes = shape?.map((size) => (size < 0 ? "?" : size)).join(",");
  const expected = sizes ? ` and shape [${sizes}]` : "";
  return () => {
    throw invalidArgument(
      `You must feed a value for placeholder tensor '${node.name}' with dtype ${cppTypeName(dtype)}${expected}`,
    );
  };
}

/** A value for a function argument that is not used; unknown sizes are 0. */
function makeFakeParam(node: KernelNode): () => Outputs {
  const dtype = node.type("dtype");
  const shape = (node.shape("shape") ?? []).map((size) => Math.max(size, 0));
  const count = shape.reduce((product, size) => product * size, 1);
  const value: Value =
    dtype === "resource" || dtype === "variant"
      ? new ObjectTensor(dtype, [0], [])
      : new Tensor(dtype, shape, zeros(dtype, count));
  return () => [value];
}

/** The index of the device's type in the attribute's list, or the length of the list if it is not there. */
function makeDeviceIndex(node: KernelNode): () => Outputs {
  const names = node.strings("device_names");
  const index = names.indexOf(parseDeviceName(node.device).type ?? "CPU");
  const outputs = [Tensor.of(index < 0 ? names.length : index, "int32")];
  return () => outputs;
}

/** TensorFlow aborts the process here. A client's graph must not end a worker, hence the step fails instead. */
function makeAbort(node: KernelNode): () => never {
  const text = node.string("error_msg");
  return () => {
    throw aborted(`Abort_op intentional failure; ${text}`);
  };
}

export const sourceKernels: readonly KernelDefinition[] = [
  {
    kind: "pure",
    op: "Const",
    types: { dtype: tensorTypes },
    facts: { isConstant: true },
    create: makeConst,
    cost: () => 0,
  },
  ...["Placeholder", "PlaceholderV2"].map(
    (op): KernelDefinition => ({
      kind: "stateful",
      op,
      types: { dtype: anyType },
      facts: { isPlaceholder: true, neverWaits: true },
      create: makePlaceholder,
    }),
  ),
  { kind: "stateful", op: "FakeParam", types: { dtype: anyType }, create: makeFakeParam },
  { kind: "stateful", op: "DeviceIndex", types: noTypes, create: makeDeviceIndex },
  { kind: "stateful", op: "Abort", types: noTypes, create: makeAbort },
];
