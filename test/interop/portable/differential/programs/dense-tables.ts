/** Tables whose keys lie in an array, which is exported as it is. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const longs = (...values: number[]): Tensor => Tensor.of(values.map(BigInt), "int64");
const long = (value: number): Tensor => Tensor.of(BigInt(value), "int64");
const floats = (...values: number[]): Tensor => Tensor.of(values, "float32");

interface TableSpec {
  readonly empty: Tensor;
  readonly deleted: Tensor;
  readonly valueType?: string;
  readonly valueShape?: readonly number[];
  readonly buckets?: number;
  readonly maxLoad?: number;
}

function table(g: Graph, spec: TableSpec) {
  const { empty, deleted, valueType = "int64", valueShape = [], buckets = 8, maxLoad = 0.8 } = spec;
  const handle: Output = g.op("MutableDenseHashTableV2", [empty, deleted], {
    value_dtype: valueType,
    value_shape: [...valueShape],
    initial_num_buckets: buckets,
    max_load_factor: maxLoad,
  }).output;
  const exported = g.op("LookupTableExportV2", [handle], { Tkeys: empty.dtype, Tvalues: valueType });
  return {
    size: { run: [g.op("LookupTableSizeV2", [handle]).output] },
    all: { run: [exported.outputAt(0), exported.outputAt(1)] },
    insert: (keys: Tensor, values: Tensor) => ({
      run: [g.op("LookupTableInsertV2", [handle, keys, values])],
    }),
    remove: (keys: Tensor) => ({ run: [g.op("LookupTableRemoveV2", [handle, keys])] }),
    replace: (keys: Tensor, values: Tensor) => ({
      run: [g.op("LookupTableImportV2", [handle, keys, values])],
    }),
    find: (keys: Tensor, fallback: Tensor) => ({
      run: [g.op("LookupTableFindV2", [handle, keys, fallback]).output],
    }),
  };
}

const scalars: TableSpec = { empty: long(-1), deleted: long(-2) };

/** Tables that cannot be made. */
const wrong: Readonly<Record<string, Partial<TableSpec>>> = {
  same_keys: { deleted: long(-1) },
  other_shape: { deleted: longs(-2) },
  few_buckets: { buckets: 2 },
  odd_buckets: { buckets: 7 },
  full: { maxLoad: 1 },
  never: { maxLoad: 0 },
};

export const denseTablePrograms: readonly Program[] = [
  {
    name: "dense_table",
    build: (g) => {
      const t = table(g, scalars);
      const many = Array.from({ length: 40 }, (_, i) => i * 7);
      return [
        t.size,
        t.find(longs(1, 2), long(-9)),
        t.insert(longs(5, 3, 11, 19), longs(50, 30, 110, 190)),
        t.find(Tensor.of([3n, 5n, 11n, 4n], "int64", [2, 2]), long(-9)),
        t.find(longs(5, 11, 3, 4), long(-9)),
        t.all,
        t.remove(longs(3, 77)),
        t.size,
        t.all,
        t.insert(longs(27), longs(7)),
        t.all,
        t.insert(longs(3, 27, 35, 43, 51), longs(1, 2, 3, 4, 5)),
        t.size,
        t.all,
        t.insert(longs(1, 1, -5, 2 ** 40), longs(4, 5, 6, 7)),
        t.all,
        t.remove(longs(51, 1)),
        t.insert(longs(...many), longs(...many)),
        t.all,
        t.size,
        t.find(longs(7, 8), longs(1, 2)),
        t.find(long(7), long(0)),
        t.insert(longs(-1), longs(1)),
        t.insert(longs(-2), longs(1)),
        t.find(longs(-1), long(1)),
        t.find(longs(-2), long(1)),
        t.remove(longs(-1)),
        t.remove(longs(-2)),
        t.insert(longs(5, 6), longs(1)),
        t.insert(longs(5), Tensor.of([1n, 2n], "int64", [1, 2])),
        t.find(longs(5), longs(1, 2)),
        t.size,
      ];
    },
  },
  {
    name: "dense_table_of_vectors",
    build: (g) => {
      const t = table(g, {
        empty: longs(-1, -1),
        deleted: longs(-2, -2),
        valueType: "float32",
        valueShape: [2],
      });
      const pairs = (...values: number[]) => longs(...values).reshape([values.length / 2, 2]);
      const rows = (...values: number[]) => floats(...values).reshape([values.length / 2, 2]);
      return [
        t.insert(pairs(1, 2, 3, 4), rows(1, 2, 3, 4)),
        t.find(pairs(3, 4, 9, 9), floats(0, 7)),
        t.find(pairs(3, 4, 9, 9), rows(0, 7, 8, 9)),
        t.find(longs(3, 4), floats(0, 7)),
        t.find(pairs(-1, -1), floats(0, 7)),
        t.all,
        t.insert(pairs(5, 6, 7, 8, 9, 10, -3, 11, 2, 1), rows(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
        t.all,
        t.remove(pairs(1, 2)),
        t.size,
        t.replace(pairs(7, 8, -1, -1, -1, -1, -2, -2), rows(1, 2, 3, 4, 5, 6, 7, 8)),
        t.size,
        t.all,
      ];
    },
  },
  {
    name: "dense_table_of_texts",
    build: (g) => {
      const t = table(g, { empty: Tensor.of("empty"), deleted: Tensor.of("gone"), valueType: "float32" });
      const words = ["a", "b", "c", "foo", "a longer one than the others", ""];
      return [
        t.insert(Tensor.of(words), floats(1, 2, 3, 4, 5, 6)),
        t.find(Tensor.of(["foo", "z", ""]), Tensor.of(-1, "float32")),
        t.all,
        t.remove(Tensor.of(["b"])),
        t.all,
      ];
    },
  },
  {
    name: "dense_table_without_a_name",
    // All in one step: nobody else has the handle.
    build: (g) => {
      const handle = g.op("AnonymousMutableDenseHashTable", [long(-1), long(-2)], {
        value_dtype: "float32",
        value_shape: [],
      }).output;
      const filled = g.op("LookupTableInsertV2", [handle, longs(5, 6), floats(1, 3)]);
      const found = g.withControlDependencies([filled], () =>
        g.op("LookupTableFindV2", [handle, longs(6, 7), Tensor.of(0, "float32")]),
      );
      return [{ run: [found.output] }];
    },
  },
  ...Object.entries(wrong).map(
    ([name, changes]): Program => ({
      name: `dense_table_${name}`,
      build: (g) => [table(g, { ...scalars, ...changes }).size],
    }),
  ),
];
