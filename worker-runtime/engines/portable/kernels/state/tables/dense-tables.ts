import { invalidArgument } from "../../../../../protocol/status.js";
import type { KernelDefinition, OpContext, StatefulKernelDefinition } from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { cppTypeName } from "../../support/dtypes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { fullShape } from "../partial-shapes.js";
import { makeHandle, privateOrSharedName, resourceIdentity } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { DenseHashTable } from "./dense-hash-table.js";
import { LOOKUP_TABLE, type LookupTable, tableTypes } from "./lookup-table.js";

/**
 * Reads a node's attributes.
 * @returns a function that creates the table of an execution, whose inputs are the empty and deleted keys.
 */
function tableOf(node: KernelNode): (context: OpContext) => DenseHashTable {
  const valueShape = fullShape(node.shape("value_shape"));
  if (valueShape === undefined || valueShape.length > 1) {
    throw invalidArgument("Empty value must be a scalar or a vector.");
  }
  const options = {
    keyType: node.type("key_dtype"),
    valueType: node.type("value_dtype"),
    valueShape,
    buckets: node.int("initial_num_buckets"),
    maxLoad: node.float("max_load_factor"),
  };
  return ({ inputs }) =>
    new DenseHashTable({ ...options, emptyKey: tensorAt(inputs, 0), deletedKey: tensorAt(inputs, 1) });
}

const sharedTable: StatefulKernelDefinition = statefulKernel(
  "MutableDenseHashTableV2",
  (node) => {
    const index = resourceIdentity(node);
    const make = tableOf(node);
    const [keyType, valueType] = [node.type("key_dtype"), node.type("value_dtype")];
    return (context) => {
      const name = privateOrSharedName(node, index, context);
      const { options } = context.step
        .resources(node.device)
        .lookupOrCreate<LookupTable>(index.container, LOOKUP_TABLE, name, () => make(context));
      if (options.keyType !== keyType || options.valueType !== valueType) {
        throw invalidArgument(
          `Conflicting key/value dtypes ${cppTypeName(keyType)}->${cppTypeName(valueType)} with ` +
            `${cppTypeName(options.keyType)}-${cppTypeName(options.valueType)} for table ${node.name}`,
        );
      }
      return [makeHandle(node, index.container, name, LOOKUP_TABLE)];
    };
  },
  { types: tableTypes },
);

/** A table with a unique name: each execution creates a new one. */
const anonymousTable: StatefulKernelDefinition = statefulKernel(
  "AnonymousMutableDenseHashTable",
  (node) => {
    const make = tableOf(node);
    return (context) => {
      const manager = context.step.resources(node.device);
      const name = manager.uniqueName("_anonymous_table");
      manager.create("", name, make(context));
      return [makeHandle(node, "", name, LOOKUP_TABLE)];
    };
  },
  { types: tableTypes },
);

/** Dense hash tables. */
export const denseTableKernels: readonly KernelDefinition[] = [sharedTable, anonymousTable];
