import { afterEach, describe, expect, test } from "vitest";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { hasCpuKernelOf } from "../../../../../worker-runtime/engines/portable/kernels/registered-types.js";
import { createUpdateRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { type AttrInput, toAttrValue } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { internalError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { testStep } from "../kernels/kernel-runner.js";
import { type OptimizerUpdate, optimizerUpdates } from "../kernels/state/optimizer-updates.js";
import { tensorDifference } from "../kernels/tensor-difference.js";
import { type Knowledge, nodeModel } from "./node-model.js";
import { OnnxSessions } from "./onnx-sessions.js";

const kernels = createKernelRegistry();
const updates = createUpdateRegistry();
const sessions = new OnnxSessions();
afterEach(() => sessions.release());

const SHAPE = [3, 2];
const GRADIENT = [0.5, -1, 2, 0, -0.25, 3];
const symbolic: Knowledge = { name: "", shapes: false, isConstant: () => false };
/** Learning rates and the like are constants, as in most graphs. */
const constantScalars: Knowledge = {
  name: "with constant scalars",
  shapes: false,
  isConstant: ({ inputs }, input) =>
    /^(lr|lr_power|l1|l2|l2_shrinkage|alpha|beta|beta1|beta2|epsilon|momentum|rho)$/.test(
      inputs[input]?.argName ?? "",
    ),
};

function nodeOf(op: string, attrs: Readonly<Record<string, AttrInput>>): KernelNode {
  const opDef = bundledOpRegistry().require(op);
  const def = NodeDef.fromPartial({ name: op.toLowerCase(), op });
  for (const [name, value] of Object.entries(attrs)) {
    const attr = opDef.attr.find((candidate) => candidate.name === name);
    if (attr !== undefined) {
      def.attr.set(name, toAttrValue(attr, value));
    }
  }
  return new KernelNode(def, opDef);
}

/** A task with variables that handles name. */
class Variables {
  readonly #step = testStep();

  async run(node: KernelNode, inputs: readonly Value[]): Promise<readonly (Value | undefined)[]> {
    const kernel = kernels.find(node, "CPU");
    if (kernel?.kind !== "stateful") {
      throw internalError(`${node.op} has no stateful kernel.`);
    }
    return kernel.create(node)({ inputs, step: this.#step, frameId: 0n, iteration: 0 });
  }

  async make(name: string, value: Tensor): Promise<Value> {
    const { dtype, shape } = value;
    const [handle] = await this.run(nodeOf("VarHandleOp", { dtype, shape, shared_name: name }), []);
    if (handle === undefined) {
      throw internalError("There is no handle.");
    }
    await this.run(nodeOf("AssignVariableOp", { dtype }), [handle, value]);
    return handle;
  }

  async read(handle: Value, dtype: DType): Promise<Tensor> {
    const [value] = await this.run(nodeOf("ReadVariableOp", { dtype }), [handle]);
    if (!(value instanceof Tensor)) {
      throw internalError("This is no tensor.");
    }
    return value;
  }
}

function stateOf(update: OptimizerUpdate, dtype: DType): readonly Tensor[] {
  return update.state.map((start) =>
    Tensor.of(
      [0, 1, 2, 3, 4, 5].map((k) => start + k / 8),
      dtype,
      SHAPE,
    ),
  );
}

function argsOf(update: OptimizerUpdate, dtype: DType): readonly Tensor[] {
  return update.args.map((arg) => {
    if (arg === "grad") {
      return Tensor.of(GRADIENT, dtype, SHAPE);
    }
    return arg === "step" ? Tensor.of(3n) : Tensor.of(Number(arg), dtype);
  });
}

/** The new values of the variable and its slots, by the kernel of the form for resources. */
async function byKernel(op: string, update: OptimizerUpdate, dtype: DType): Promise<readonly Tensor[]> {
  const variables = new Variables();
  const handles: Value[] = [];
  for (const [i, value] of stateOf(update, dtype).entries()) {
    handles.push(await variables.make(`v${i}`, value));
  }
  await variables.run(nodeOf(op, { T: dtype, ...update.attrs }), [...handles, ...argsOf(update, dtype)]);
  return Promise.all(handles.map((handle) => variables.read(handle, dtype)));
}

async function byLowering(
  op: string,
  inputs: readonly Tensor[],
  attrs: Readonly<Record<string, AttrInput>>,
  knowledge = symbolic,
) {
  const node = nodeOf(op, attrs);
  const lowering = updates.find(node);
  const model = lowering && nodeModel(node, lowering, inputs, knowledge);
  return model && sessions.run(model, inputs);
}

function differencesOf(ours: readonly Tensor[] | undefined, theirs: readonly Tensor[]): unknown[] {
  // The kernels compute in double precision and round at the end; of halves, both do so once.
  const tolerance = theirs[0]?.dtype === "float16" ? { ulps: 1, absolute: 0 } : { ulps: 64, absolute: 2e-7 };
  return theirs.map((wanted, i) => {
    const given = ours?.[i];
    return given === undefined ? "missing" : tensorDifference(given, wanted, tolerance);
  });
}

describe("the lowering of an update gives the new values that the kernel gives", () => {
  test.each(optimizerUpdates)("$name $attrs", async (update) => {
    const resourceOp = `ResourceApply${update.name}`;
    const hasHalves = hasCpuKernelOf(resourceOp, "T", "float16");
    for (const dtype of [...(hasHalves ? (["float16"] as const) : []), "float32", "float64"] as const) {
      const expected = await byKernel(resourceOp, update, dtype);
      const inputs = [...stateOf(update, dtype), ...argsOf(update, dtype)];
      const ops = update.forms === "resource" ? [resourceOp] : [resourceOp, `Apply${update.name}`];
      for (const op of ops) {
        for (const knowledge of [symbolic, constantScalars]) {
          const given = await byLowering(op, inputs, { T: dtype, ...update.attrs }, knowledge);
          const what = `${op} ${dtype} ${knowledge.name}`;
          expect(differencesOf(given, expected), what).toEqual(expected.map(() => undefined));
        }
      }
    }
  });

  test("every op with a lowering is among them", () => {
    const compared = optimizerUpdates.flatMap(({ name, forms }) =>
      forms === "resource" ? [`ResourceApply${name}`] : [`ResourceApply${name}`, `Apply${name}`],
    );
    const others = updates.ops().filter((op) => !compared.includes(op));
    expect(others).toEqual([
      "Assign",
      "AssignAdd",
      "AssignAddVariableOp",
      "AssignSub",
      "AssignSubVariableOp",
      "AssignVariableOp",
    ]);
  });
});

describe("assignments", () => {
  const old = {
    float16: [1, -2.5],
    float32: [1, -2.5],
    float64: [1, -2.5],
    int32: [7, -8],
    int64: [7n, -8n],
  } as const;
  const value = {
    float16: [0.5, 4],
    float32: [0.5, 4],
    float64: [0.5, 4],
    int32: [1, 2],
    int64: [1n, 2n],
  } as const;
  const results = {
    Add: { floats: [1.5, 1.5], ints: [8, -6] },
    Sub: { floats: [0.5, -6.5], ints: [6, -10] },
  };

  test.each(["Add", "Sub"] as const)("Assign%s", async (kind) => {
    for (const dtype of ["float16", "float32", "float64", "int32", "int64"] as const) {
      const inputs = [Tensor.of(old[dtype], dtype), Tensor.of(value[dtype], dtype)];
      const wanted = results[kind][dtype.startsWith("float") ? "floats" : "ints"];
      for (const [op, attr] of [
        [`Assign${kind}`, "T"],
        [`Assign${kind}VariableOp`, "dtype"],
      ] as const) {
        const [given] = (await byLowering(op, inputs, { [attr]: dtype })) ?? [];
        expect(given && Array.from({ length: 2 }, (_, i) => Number(given.at(i))), `${op} ${dtype}`).toEqual(
          wanted,
        );
      }
    }
  });

  test("a value of another shape replaces the old one", async () => {
    const inputs = [Tensor.of([1, 2]), Tensor.of([[3], [4], [5]])];
    for (const [op, attr] of [
      ["Assign", "T"],
      ["AssignVariableOp", "dtype"],
    ] as const) {
      const [given] = (await byLowering(op, inputs, { [attr]: "float32" })) ?? [];
      expect(given?.toArray(), op).toEqual([[3], [4], [5]]);
    }
  });

  test("a gradient of another rank is left to the kernel", async () => {
    const inputs = [Tensor.of([1, 2]), Tensor.of(0.1), Tensor.of(1)];
    expect(await byLowering("ResourceApplyGradientDescent", inputs, { T: "float32" })).toBeUndefined();
  });
});
