/** Every optimizer's op that the engine has, of reference and of resource variables, dense and sparse. */
import type { OpDef } from "../../../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { OpInput } from "../../../../../worker-runtime/graph/graph-op-builder.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";
import { reference, resource } from "./variables.js";

/** The values of an optimizer's scalar inputs, by name. */
const scalars: Readonly<Record<string, number>> = {
  lr: 0.1,
  alpha: 0.1,
  momentum: 0.9,
  rho: 0.9,
  beta: 0.5,
  beta1: 0.9,
  beta2: 0.99,
  beta1_power: 0.9,
  beta2_power: 0.99,
  epsilon: 0.01,
  l1: 0.01,
  l2: 0.02,
  l2_shrinkage: 0.03,
  lr_power: -0.5,
  logbase: 1.5,
  sign_decay: 0.9,
};

const TRAINING_STEPS = 3;

/** Rows of the variable: in another order, one twice, and some that it does not have. */
const rowLists = [
  [2, 0],
  [2, 0],
  [1, 1],
  [0, 3],
  [-1, 2],
  [1, 0],
];

interface Variant {
  readonly opDef: OpDef;
  readonly dtype: "float32" | "float64";
  /** A switch of the op that is turned from its default. */
  readonly turned?: string;
}

function training({ opDef, dtype, turned }: Variant): Program {
  const { name: op } = opDef;
  const isSparse = opDef.inputArg.some(({ name }) => name === "indices");
  return {
    name: [op, dtype, turned].filter(Boolean).join("_"),
    tolerance: { ulps: 16, scale: 1 },
    build: (g) => {
      const indices = g.op("Placeholder", [], { dtype: "int32", shape: [2] }).output;
      const slots: { init: Step["run"][number]; read: Step["run"][number] }[] = [];
      const inputs = opDef.inputArg.map(({ name, type, isRef }): OpInput => {
        const value =
          slots.length === 0
            ? Tensor.of([1, -2, 3, 0.5, 0, 10], dtype, [3, 2])
            : Tensor.of(0.25, dtype, [3, 2]);
        if (isRef) {
          const { ref, init } = reference(g, name, value);
          slots.push({ init, read: ref });
          return ref;
        }
        if (type === DataType.DT_RESOURCE) {
          const { handle, init, read } = resource(g, name, value);
          slots.push({ init, read });
          return handle;
        }
        switch (name) {
          case "grad":
          case "delta":
            return Tensor.of(isSparse ? [0.5, 1, -1, 2] : [0.5, 1, -1, 2, 0, -8], dtype, [
              isSparse ? 2 : 3,
              2,
            ]);
          case "indices":
            return indices;
          case "global_step":
            return Tensor.of(1n, "int64");
          default:
            return Tensor.of(scalars[name] ?? Number.NaN, dtype);
        }
      });
      const apply = g.op(op, inputs, {
        T: dtype,
        ...(turned === undefined ? {} : { [turned]: !isOn(opDef, turned) }),
      });
      const read = { run: slots.map((slot) => slot.read) };
      const step = (rows: readonly number[]): Step => ({
        run: [apply],
        feeds: isSparse ? { [indices.name]: Tensor.of([...rows], "int32") } : {},
      });
      const lists = isSparse ? rowLists : new Array<readonly number[]>(TRAINING_STEPS).fill([]);
      return [
        step([2, 0]),
        { run: slots.map((slot) => slot.init) },
        ...lists.flatMap((rows) => [step(rows), read]),
      ];
    },
  };
}

function isOn(opDef: OpDef, name: string): boolean {
  const value = opDef.attr.find((attr) => attr.name === name)?.defaultValue?.value;
  return value?.$case === "b" && value.value;
}

function variantsOf(opDef: OpDef): Variant[] {
  const switches = opDef.attr.filter(({ name, type }) => type === "bool" && name !== "use_locking");
  return [
    { opDef, dtype: "float32" },
    { opDef, dtype: "float64" },
    ...switches.map(({ name }): Variant => ({ opDef, dtype: "float32", turned: name })),
  ];
}

export const optimizerPrograms: readonly Program[] = createKernelRegistry()
  .ops()
  .filter((op) => /^(Resource)?(Sparse)?Apply/.test(op))
  .flatMap((op) => variantsOf(bundledOpRegistry().require(op)))
  .map(training);
