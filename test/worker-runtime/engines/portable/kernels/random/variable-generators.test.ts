import { describe, expect, test } from "vitest";
import { randomKernels } from "../../../../../../worker-runtime/engines/portable/kernels/random/index.js";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import {
  RESOURCE_VARIABLE,
  ResourceVariable,
} from "../../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import { ObjectTensor } from "../../../../../../worker-runtime/engines/portable/values.js";
import { TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { testStep } from "../kernel-runner.js";
import { nodeOf, type OpCase } from "../op-case.js";

const long = (value: bigint) => Tensor.of(value, "int64");
const shape = (size: number) => Tensor.of([size], "int32");
/** Nodes of tests are not placed. */
const DEVICE = "";

/** Runs an op on a generator in the state [5, -6, 77]. @returns its outputs and the state afterwards. */
async function run(op: string, inputs: readonly Tensor[], attrs: OpCase["attrs"] = {}) {
  const step = testStep();
  const variable = new ResourceVariable({ dtype: "int64", name: "rng" });
  variable.assign(Tensor.of([5n, -6n, 77n], "int64"));
  const resources = step.resources(DEVICE);
  resources.create("", "rng", variable);
  const handle = ObjectTensor.resource({
    device: DEVICE,
    container: "localhost",
    name: "rng",
    typeName: RESOURCE_VARIABLE,
    dtypesAndShapes: [],
  });
  // The first input of the op is a handle, which cases of tensors cannot have: any tensor stands for it there.
  const node = nodeOf({ op, inputs: [long(0n), ...inputs], attrs });
  const kernel = new KernelRegistry().add(...randomKernels).find(node, "CPU");
  if (kernel?.kind !== "stateful") {
    throw new Error(`No kernel for ${op}.`);
  }
  const outputs = await kernel.create(node)({ inputs: [handle, ...inputs], step, frameId: 0n, iteration: 0 });
  const [output] = outputs;
  return {
    output: output instanceof Tensor ? output.toArray() : undefined,
    state: variable.value?.toArray(),
  };
}

// All numbers are those of TensorFlow 2.21 for the same state.
describe("generators in variables", () => {
  test("are read and moved on", async () => {
    const moved = [773n, -6n, 77n];
    expect(await run("RngReadAndSkip", [Tensor.of(1, "int32"), Tensor.of(3n, "uint64")])).toEqual({
      output: [5n, -6n, 77n],
      state: moved,
    });
    expect(await run("RngSkip", [long(1n), long(3n)])).toEqual({ output: undefined, state: moved });
  });

  test("give TensorFlow's numbers", async () => {
    const algorithm = long(1n);
    const uniform = await run("StatefulUniform", [algorithm, shape(5)], { dtype: "float32" });
    expect(uniform.output).toEqual([
      0.9728720188140869, 0.6003159284591675, 0.016620159149169922, 0.9409576654434204, 0.02486288547515869,
    ]);
    expect(uniform.state).toEqual([1285n, -6n, 77n]);
    expect((await run("StatefulUniformInt", [algorithm, shape(5), long(0n), long(10n)])).output).toEqual([
      0n,
      4n,
      9n,
      1n,
      6n,
    ]);
    const full = await run("StatefulUniformFullInt", [algorithm, shape(2)], { dtype: "uint64" });
    expect(full.output).toEqual([16847076872406468370n, 9581532786976759964n]);
    const normal = await run("StatefulStandardNormalV2", [algorithm, shape(2)], { dtype: "float64" });
    expect(normal.output).toEqual([
      expect.closeTo(0.5187375731348944, 14),
      expect.closeTo(0.46927091384826936, 14),
    ]);
    const truncated = await run("StatefulTruncatedNormal", [algorithm, shape(1)], { dtype: "float32" });
    expect(truncated.output).toEqual([expect.closeTo(-0.1382310688495636, 7)]);
  });

  test("of another algorithm are refused", async () => {
    await expect(run("StatefulUniform", [long(2n), shape(1)], { dtype: "float32" })).rejects.toThrow(
      new TensorFlowError(12, "Non-XLA devices don't support the ThreeFry algorithm."),
    );
  });
});
