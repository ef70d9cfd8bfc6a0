import { readFile } from "node:fs/promises";
import { withSharedSignal } from "../../../../../cancellation/shared-signal.js";
import { invalidArgument, notFound } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { anyType, cppTypeName, noTypes } from "../../support/dtypes.js";
import { stringsOf } from "../../support/elements.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { atPauses } from "../../support/turns.js";
import { handledResource, type ResourceMaker, resourceKernel } from "../handle-resources.js";
import { fullShape } from "../partial-shapes.js";
import { makeHandle } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { denseTableKernels } from "./dense-tables.js";
import { LOOKUP_TABLE, LookupTable, type TableOptions, tableTypes } from "./lookup-table.js";
import { tableFromText } from "./text-file.js";

function optionsOf(node: KernelNode, kind: TableOptions["kind"]): TableOptions {
  const valueShape = node.has("value_shape") ? fullShape(node.shape("value_shape")) : [];
  if (valueShape === undefined) {
    throw invalidArgument("The shape of a table's values must be known.");
  }
  return { keyType: node.type("key_dtype"), valueType: node.type("value_dtype"), valueShape, kind };
}

function maker(kind: TableOptions["kind"]): ResourceMaker<LookupTable> {
  return {
    typeName: LOOKUP_TABLE,
    prepare: (node) => {
      const options = optionsOf(node, kind);
      return () => new LookupTable(options);
    },
    check: ({ options }, node) => {
      const { keyType, valueType } = optionsOf(node, kind);
      if (options.keyType !== keyType || options.valueType !== valueType) {
        throw invalidArgument(
          `Conflicting key/value dtypes ${cppTypeName(keyType)}->${cppTypeName(valueType)} with ` +
            `${cppTypeName(options.keyType)}-${cppTypeName(options.valueType)} for table ${node.name}`,
        );
      }
    },
  };
}

const finalTable = maker("initialized once");
const mutableTable = maker("mutable");

/** A table with a unique name: each execution creates a new one. */
function anonymousTable(op: string, kind: TableOptions["kind"]): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    const options = optionsOf(node, kind);
    return ({ step }: OpContext) => {
      const manager = step.resources(node.device);
      const name = manager.uniqueName("_anonymous_table");
      manager.create("", name, new LookupTable(options));
      return [makeHandle(node, "", name, LOOKUP_TABLE)];
    };
  };
  return statefulKernel(op, create, { types: tableTypes });
}

type Act = (table: LookupTable, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

function tableKernel(op: string, types: KernelTypes, act: Act): StatefulKernelDefinition {
  const create = (node: KernelNode) => (context: OpContext) => {
    const table = handledResource<LookupTable>(node, context, 0, LOOKUP_TABLE);
    return table.exclusively(() => act(table, context, node));
  };
  return statefulKernel(op, create, { types });
}

/** The result of an action as outputs, synchronously if it is already available. */
function outputsOf<T>(result: T | Promise<T>, outputs: (result: T) => Outputs): Outputs | Promise<Outputs> {
  return result instanceof Promise ? result.then(outputs) : outputs(result);
}

const find: Act = (table, { inputs, step }) =>
  outputsOf(table.find(tensorAt(inputs, 1), tensorAt(inputs, 2), step.signal), (values) => [values]);

/** An action that changes the table with the keys and values at inputs 1 and 2. */
function change(how: (table: LookupTable, keys: Tensor, values: Tensor) => void | Promise<void>): Act {
  return (table, { inputs }) => outputsOf(how(table, tensorAt(inputs, 1), tensorAt(inputs, 2)), () => []);
}

const remove: Act = (table, { inputs }) => outputsOf(table.remove(tensorAt(inputs, 1)), () => []);

const size: Act = (table) => [new Tensor("int64", [], BigInt64Array.of(BigInt(table.size)))];

const initialize = change((table, keys, values) => {
  checkInitializable(table);
  if (keys.size !== values.size) {
    throw invalidArgument(`Keys and values must have the same size ${keys.size} vs ${values.size}`);
  }
  return table.initialize(keys, values);
});

function checkInitializable(table: LookupTable): void {
  if (table.options.kind === "mutable") {
    throw invalidArgument("Table is not initializable");
  }
}

const initializeFromFile: Act = async (table, context, node) => {
  checkInitializable(table);
  const [name] = stringsOf(tensorAt(context.inputs, 1));
  const path = new TextDecoder().decode(name);
  const delimiter = node.string("delimiter");
  if (delimiter.length !== 1) {
    throw invalidArgument(`delimiter should be only 1 char`);
  }
  const resolved = await context.step.files.resolve(path, "read");
  const text = await withSharedSignal(context.step.signal, (signal) => readFile(resolved, { signal })).catch(
    (cause: unknown) => {
      throw notFound(`${path}; No such file or directory`, { cause });
    },
  );
  if (table.initialized) {
    // As in TensorFlow, a shared table is not filled from its file again.
    return [];
  }
  const options = {
    path,
    keyIndex: node.int("key_index"),
    valueIndex: node.int("value_index"),
    vocabSize: node.int("vocab_size"),
    delimiter,
    offset: node.has("offset") ? node.int("offset") : 0,
  };
  const [keys, values] = await atPauses(tableFromText(text, options, table.options), context.step.signal);
  await table.initialize(keys, values);
  return [];
};

/** The table itself rejects keys and values of other types. */
const inAndOut = { Tin: anyType, Tout: anyType };

/** Tables, accessed by resource handles ("…V2") or by the older references. */
export const tableKernels: readonly KernelDefinition[] = [
  ...["", "V2"].flatMap((version) => [
    resourceKernel(`HashTable${version}`, finalTable, tableTypes),
    resourceKernel(`MutableHashTable${version}`, mutableTable, tableTypes),
    resourceKernel(`MutableHashTableOfTensors${version}`, mutableTable, tableTypes),
    tableKernel(`LookupTableFind${version}`, inAndOut, find),
    tableKernel(
      `LookupTableInsert${version}`,
      inAndOut,
      change((table, keys, values) => table.insert(keys, values)),
    ),
    tableKernel(
      `LookupTableImport${version}`,
      inAndOut,
      change((table, keys, values) => table.importValues(keys, values)),
    ),
    tableKernel(`LookupTableExport${version}`, { Tkeys: anyType, Tvalues: anyType }, (table, { step }) =>
      table.exportValues(step.signal),
    ),
    tableKernel(`LookupTableSize${version}`, noTypes, size),
    tableKernel(`InitializeTable${version}`, { Tkey: anyType, Tval: anyType }, initialize),
    tableKernel(`InitializeTableFromTextFile${version}`, noTypes, initializeFromFile),
  ]),
  tableKernel("LookupTableRemoveV2", { Tin: anyType }, remove),
  anonymousTable("AnonymousHashTable", "initialized once"),
  anonymousTable("AnonymousMutableHashTable", "mutable"),
  anonymousTable("AnonymousMutableHashTableOfTensors", "mutable"),
  ...denseTableKernels,
];
