/** Programs of one op each, so that it can be run with every dtype that it has, whatever other ops have. */
import path from "node:path";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { constant, typed } from "../../../peers/nodes.js";
import { integers, scalar } from "../arbitraries.js";
import { registeredChoices } from "../registered-pairs.js";
import { functionOf } from "./functions.js";
import type { Program, Step } from "./program.js";
import { reference, resource } from "./variables.js";

const float = (value: number | number[]): Tensor => Tensor.of(value, "float32");
const matrix = Tensor.of([1, 2, 3, 4, 5, 6], "float32", [3, 2]);
const updates = Tensor.of([2, 4, 1, 8], "float32", [2, 2]);
const rows = Tensor.of([2, 0], "int32");
const ndRows = Tensor.of([[2], [0]], "int32");
const kernels = createKernelRegistry();

const scatters: readonly Program[] = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"].flatMap(
  (kind): Program[] => {
    const ops = ["Mul", "Div"].includes(kind) ? [`Scatter${kind}`] : [`Scatter${kind}`, `ScatterNd${kind}`];
    return ops.flatMap((op): Program[] => {
      const at = op.startsWith("ScatterNd") ? ndRows : rows;
      return [
        {
          name: `${op}_of_a_reference`,
          build: (g) => {
            const { ref, init } = reference(g, "v", matrix);
            return [{ run: [init] }, { run: [g.op(op, [ref, at, updates]).output] }];
          },
        },
        {
          name: `Resource${op}_of_a_handle`,
          build: (g) => {
            const { handle, init, read } = resource(g, "v", matrix);
            return [
              { run: [init] },
              { run: [g.op(`Resource${op}`, [handle, at, updates])] },
              { run: [read] },
            ];
          },
        },
      ];
    });
  },
);

const gathers: readonly Program[] = ["ResourceGather", "ResourceGatherNd"].map((op) => ({
  name: `${op}_alone`,
  build: (g) => {
    const { handle, init } = resource(g, "v", matrix);
    const at = op === "ResourceGather" ? rows : ndRows;
    return [{ run: [init] }, { run: [g.op(op, [handle, at], { dtype: "float32" }).output] }];
  },
}));

const tableOps = [
  "HashTable",
  "HashTableV2",
  "MutableHashTable",
  "MutableHashTableV2",
  "MutableHashTableOfTensors",
  "MutableHashTableOfTensorsV2",
  "AnonymousHashTable",
  "AnonymousMutableHashTable",
  "AnonymousMutableHashTableOfTensors",
] as const;

/** A table of every pair of dtypes that there is: filled, asked and, where that is possible, exported. */
const tables: readonly Program[] = tableOps.flatMap((op) =>
  registeredChoices(kernels, op).flatMap((choice): Program[] => {
    const [key, value] = [choice.get("key_dtype"), choice.get("value_dtype")];
    if (key === undefined || value === undefined || value === "variant" || value === "resource") return [];
    const ofTensors = op.includes("OfTensors");
    const v = op.startsWith("Anonymous") || op.endsWith("V2") ? "V2" : "";
    return [
      {
        name: `${op}_from_${key}_to_${value}`,
        build: (g) => {
          const shape = ofTensors ? { value_shape: [1] } : {};
          const table = g.op(op, [], { key_dtype: key, value_dtype: value, ...shape }).output;
          const [keys, values] = [integers(key, [5, 6]), integers(value, [1, 0], ofTensors ? [2, 1] : [2])];
          const other = ofTensors ? integers(value, [1], [1]) : scalar(value, 1);
          const isMutable = op.includes("Mutable");
          const fill = g.op(isMutable ? `LookupTableInsert${v}` : `InitializeTable${v}`, [
            table,
            keys,
            values,
          ]);
          const [found, size, all] = g.withControlDependencies([fill], () => [
            g.op(`LookupTableFind${v}`, [table, integers(key, [6, 7]), other]).output,
            g.op(`LookupTableSize${v}`, [table]).output,
            isMutable ? g.op(`LookupTableExport${v}`, [table], { Tkeys: key, Tvalues: value }) : undefined,
          ]);
          const replace = isMutable ? [g.op(`LookupTableImport${v}`, [table, keys, values])] : [];
          const remove =
            isMutable && v !== "" ? [g.op("LookupTableRemoveV2", [table, integers(key, [5])])] : [];
          // How many there are, as the order of keys is not said.
          const exported = all === undefined ? [] : [0, 1].map((i) => g.op("Size", [all.outputAt(i)]).output);
          return [
            { run: [found, size] },
            { run: exported },
            ...[...replace, ...remove].map((one) => ({ run: [one] })),
          ];
        },
      },
    ];
  }),
);

const library = FunctionDefLibrary.fromPartial({
  function: [
    functionOf("Keep", [["x", "float32"]], { y: ["same:output:0", "float32"] }, [
      typed("same", "Identity", ["x"], "float32"),
    ]),
    functionOf("Never", [["x", "float32"]], { go: ["no:output:0", "bool"] }, [constant("no", false, "bool")]),
  ],
});

const calls: readonly Program[] = [
  ["PartitionedCall", { f: "Keep" }],
  ["StatefulPartitionedCall", { f: "Keep" }],
  ["If", { then_branch: "Keep", else_branch: "Keep" }],
  ["StatelessIf", { then_branch: "Keep", else_branch: "Keep" }],
  ["Case", { branches: ["Keep", "Keep"] }],
  ["StatelessCase", { branches: ["Keep", "Keep"] }],
  ["While", { cond: "Never", body: "Keep" }],
  ["StatelessWhile", { cond: "Never", body: "Keep" }],
].map(([op, callees]): Program => {
  const named = (name: string) => ({ name, attr: new Map() });
  const funcs = Object.fromEntries(
    Object.entries(callees as Readonly<Record<string, string | string[]>>).map(([attr, names]) => [
      attr,
      Array.isArray(names) ? names.map(named) : named(names),
    ]),
  );
  const name = op as string;
  const first = /If/.test(name)
    ? [Tensor.of(true, "bool")]
    : /Case/.test(name)
      ? [Tensor.of(1, "int32")]
      : [];
  const types = /While/.test(name) ? { T: ["float32"] } : { Tin: ["float32"], Tout: ["float32"] };
  return {
    name: `${name}_that_keeps`,
    library,
    build: (g) => [
      {
        run: [
          g
            .op(name, [...first, [g.op("Identity", [float([1, 2])]).output]], { ...types, ...funcs })
            .outputAt(0),
        ],
      },
    ],
  };
});

const flow: readonly Program[] = [
  {
    name: "switch_and_merge_alone",
    build: (g) => {
      const parted = g.op("Switch", [g.op("Identity", [float([1, 0])]).output, Tensor.of(true, "bool")]);
      const merged = g.op("Merge", [[parted.outputAt(0), parted.outputAt(1)]], { N: 2 });
      return [{ run: [merged.outputAt(0), merged.outputAt(1)] }];
    },
  },
  {
    name: "reference_switch_and_merge_alone",
    build: (g) => {
      const { ref, init } = reference(g, "v", matrix);
      const parted = g.op("RefSwitch", [ref, Tensor.of(true, "bool")]);
      const same = g.op("RefIdentity", [parted.outputAt(1)]).output;
      const merged = g.op("RefMerge", [[parted.outputAt(0), same]], { N: 2 });
      const isInitialized = g.op("IsVariableInitialized", [ref]).output;
      return [{ run: [init] }, { run: [merged.outputAt(0), isInitialized] }];
    },
  },
  {
    name: "loop_that_carries",
    build: (g) => {
      const [count, carried] = ops.whileLoop(
        g,
        (i) => ops.less(i as Output, 2),
        (i, value) => [ops.add(i as Output, 1), value as Output],
        [ops.constant(g, 0, { dtype: "int32" }), g.op("Identity", [float([1, 0])]).output],
      );
      return [{ run: [count as Output, carried as Output] }];
    },
  },
];

/** The ops of a generator in a variable, whose own dtype is int64 always. */
const generators: readonly Program[] = (["int32", "uint32", "int64", "uint64"] as const).map((dtype) => ({
  name: `generator_of_${dtype}`,
  build: (g) => {
    const { handle, init } = resource(g, "state", Tensor.of([1n, 2n, 3n], "int64"));
    const [philox, shape] = [Tensor.of(1n, "int64"), Tensor.of([7], "int32")];
    const steps: Step[] = [
      { run: [init] },
      { run: [g.op("StatefulUniformFullInt", [handle, philox, shape], { dtype }).output] },
    ];
    if (dtype === "int32" || dtype === "int64") {
      const bounds = [scalar(dtype, -3), scalar(dtype, 99)];
      steps.push({ run: [g.op("StatefulUniformInt", [handle, philox, shape, ...bounds], { dtype }).output] });
    }
    return steps;
  },
}));

const binomials: readonly Program[] = (["float16", "float32", "float64", "int32"] as const).map((dtype) => ({
  name: `binomial_of_${dtype}`,
  build: (g) => {
    const { handle, init } = resource(g, "state", Tensor.of([1n, 2n, 3n], "int64"));
    const philox = Tensor.of(1n, "int64");
    const skip = g.op("RngSkip", [handle, philox, Tensor.of(7n, "int64")]);
    const drawn = g.op(
      "StatefulRandomBinomial",
      [handle, philox, Tensor.of([5], "int32"), float(40), float(0.5)],
      {
        dtype,
      },
    );
    return [{ run: [init] }, { run: [skip] }, { run: [drawn.output] }];
  },
}));

/** Ops that TensorFlow has removed: it still has kernels for graphs of old. */
const removed: readonly Program[] = [
  {
    name: "random_poisson_of_old",
    producer: 24,
    build: (g) => {
      const drawn = g.op("RandomPoisson", [Tensor.of([4], "int32"), float([0.5, 3, 20])], {
        seed: 7,
        seed2: 11,
      });
      return [{ run: [drawn.output] }];
    },
  },
  {
    name: "audio_summary_of_old",
    producer: 14,
    build: (g) => [
      {
        run: [
          g.op("AudioSummary", [Tensor.of("tag"), Tensor.of([0.5, -0.5, 0, 1], "float32", [1, 4, 1])], {
            sample_rate: 8000,
          }).output,
        ],
      },
    ],
  },
];

const checkpoint: Program = {
  name: "checkpoint_of_one",
  build: (g, folder) => {
    const [prefix, names, whole] = [Tensor.of(path.join(folder, "model")), Tensor.of(["a"]), Tensor.of([""])];
    const save = g.op("SaveV2", [prefix, names, whole, [matrix]], { dtypes: ["float32"] });
    const restore = g.op("RestoreV2", [prefix, names, whole], { dtypes: ["float32"] });
    return [{ run: [save] }, { run: [restore.outputAt(0)] }];
  },
};

export const everyDTypePrograms: readonly Program[] = [
  ...scatters,
  ...gathers,
  ...tables,
  ...calls,
  ...flow,
  ...generators,
  ...binomials,
  ...removed,
  checkpoint,
];
