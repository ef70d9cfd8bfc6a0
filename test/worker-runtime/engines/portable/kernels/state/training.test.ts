import { describe, expect, test } from "vitest";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";
import { type OptimizerUpdate, optimizerUpdates } from "./optimizer-updates.js";

const SHAPE = [3, 2];
const GRADIENTS = [
  [0.5, -1, 2, 0, -0.25, 3],
  [1, 1, -2, 0.125, 4, -3],
];

/** Makes the variables, updates them a few times and reads them all after each update. */
function program(update: OptimizerUpdate, dtype: DType, resource: boolean, sparse: boolean): Program {
  const form = `${resource ? "Resource" : ""}${sparse ? "Sparse" : ""}`;
  // Ftrl takes differences of roots, which a half has few digits for; TensorFlow rounds to halves in between.
  const tolerance = dtype === "float16" ? { ulps: 8, absolute: 3e-2 } : { ulps: 64, absolute: 2e-7 };
  const made = new Program(
    `${form}Apply${update.name} ${dtype} ${JSON.stringify(update.attrs ?? {})}`,
    tolerance,
  );
  const { graph } = made;
  const variables = update.state.map((_, i) =>
    resource
      ? graph.op("VarHandleOp", [], { dtype, shape: SHAPE, shared_name: `v${i}` })
      : graph.op("VariableV2", [], { dtype, shape: SHAPE }),
  );
  const assigns = variables.map((variable, i) => {
    const value = Tensor.of(
      [0, 1, 2, 3, 4, 5].map((k) => (update.state[i] ?? 0) + k / 8),
      dtype,
    );
    return graph.op(
      resource ? "AssignVariableOp" : "Assign",
      [variable, value.reshape(SHAPE)],
      resource ? { dtype } : {},
    );
  });
  made.run(assigns);
  const gradient = made.placeholder(dtype);
  const indices = Tensor.of([2, 0, 2], "int64");
  const argumentOf = (arg: number | "grad" | "indices" | "step") => {
    switch (arg) {
      case "grad":
        return gradient;
      case "indices":
        return indices;
      case "step":
        return Tensor.of(3n);
      default:
        return Tensor.of(arg, dtype);
    }
  };
  const args = (sparse ? update.sparse : update.args) ?? [];
  const step = graph.op(`${form}Apply${update.name}`, [...variables, ...args.map((arg) => argumentOf(arg))], {
    ...update.attrs,
  });
  const reads: Operation[] = variables.map((variable) =>
    resource ? graph.op("ReadVariableOp", [variable], { dtype }) : graph.op("Identity", [variable]),
  );
  for (const elements of GRADIENTS) {
    made.run([step], [[gradient, Tensor.of(elements, dtype).reshape(SHAPE)]]).run(reads);
  }
  return made;
}

describe.skipIf(peerMissing("tensorflow"))("updates of optimizers against TensorFlow", () => {
  test("change variables and slots as TensorFlow does", async () => {
    const programs = optimizerUpdates.flatMap((update) =>
      [false, true].flatMap((resource) =>
        [false, true].flatMap((sparse) =>
          (["float32", "float64", "float16"] as const)
            .filter(
              () => (resource || update.forms !== "resource") && !(sparse && update.sparse === undefined),
            )
            .map((dtype) => program(update, dtype, resource, sparse)),
        ),
      ),
    );
    expect(await differences(programs)).toEqual([]);
  }, 120_000);
});
