import { setMaxListeners } from "node:events";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import type { KernelOffload } from "../../../../../worker-runtime/engines/portable/compute/kernel-offload.js";
import { compileGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-graph.js";
import type { CompiledGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-node.js";
import { runGraph } from "../../../../../worker-runtime/engines/portable/executor/executor.js";
import { FunctionLibrary } from "../../../../../worker-runtime/engines/portable/executor/function-library.js";
import type { StepContext } from "../../../../../worker-runtime/engines/portable/executor/step-context.js";
import { controlFlowKernels } from "../../../../../worker-runtime/engines/portable/kernels/control-flow/index.js";
import type {
  KernelDefinition,
  OpContext,
} from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import type {
  Rendezvous,
  Sent,
} from "../../../../../worker-runtime/engines/portable/rendezvous/rendezvous.js";
import { ResourceManager } from "../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { type DType, dataTypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { notFound } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import type { TensorValue } from "../../../../../worker-runtime/protocol/tensor-values.js";

export const DEVICE = "/job:worker/replica:0/task:0/device:CPU:0";

type Attrs = Readonly<Record<string, AttrValue["value"]>>;

export function node(op: string, name: string, input: string[] = [], attrs: Attrs = {}): NodeDef {
  const attr = new Map(Object.entries(attrs).map(([key, value]) => [key, { value }]));
  return NodeDef.fromPartial({ op, name, input, attr });
}

export const type = (dtype: DType) => ({ $case: "type", value: dataTypeOf(dtype) }) as const;
export const int = (value: number | bigint) => ({ $case: "i", value: BigInt(value) }) as const;
export const bool = (value: boolean) => ({ $case: "b", value }) as const;
export const text = (value: string) => ({ $case: "s", value: new TextEncoder().encode(value) }) as const;
export const func = (name: string, attr: Map<string, AttrValue> = new Map()) =>
  ({ $case: "func", value: { name, attr } }) as const;
export function typeList(...dtypes: DType[]): AttrValue["value"] {
  const empty = { s: [], i: [], f: [], b: [], shape: [], tensor: [], func: [] };
  return { $case: "list", value: { ...empty, type: dtypes.map(dataTypeOf) } };
}

export function constant(name: string, value: TensorValue, dtype: DType, control: string[] = []): NodeDef {
  return node("Const", name, control, {
    dtype: type(dtype),
    value: { $case: "tensor", value: tensorToProto(Tensor.of(value, dtype)) },
  });
}

/** An input of the graph, given as argument. */
export const arg = (name: string, index: number, dtype: DType) =>
  node("_Arg", name, [], { T: type(dtype), index: int(index) });

/** An output of the graph. */
export const ret = (input: string, index: number, dtype: DType) =>
  node("_Retval", `ret${index}`, [input], { T: type(dtype), index: int(index) });

/** int32 or float32 ops of two inputs. */
export const binary = (op: string, name: string, a: string, b: string, dtype: DType, ...control: string[]) =>
  node(op, name, [a, b, ...control], { T: type(dtype) });

/** The nodes of `while (i < limit) i += 1`, named below "while"; its result is `${name}/Exit`. */
export function countingLoop(start: string, limit: string, name = "while", parallel = 10): NodeDef[] {
  const T = type("int32");
  const frame = { T, frame_name: text(name), parallel_iterations: int(parallel) };
  return [
    node("Enter", `${name}/Enter`, [start], frame),
    node("Enter", `${name}/limit`, [limit], { ...frame, is_constant: bool(true) }),
    node("Merge", `${name}/Merge`, [`${name}/Enter`, `${name}/NextIteration`], { T, N: int(2) }),
    node("Less", `${name}/Less`, [`${name}/Merge`, `${name}/limit`], { T }),
    node("LoopCond", `${name}/LoopCond`, [`${name}/Less`]),
    node("Switch", `${name}/Switch`, [`${name}/Merge`, `${name}/LoopCond`], { T }),
    node("Identity", `${name}/Identity`, [`${name}/Switch:1`], { T }),
    constant(`${name}/one`, 1, "int32", [`^${name}/Identity`]),
    node("AddV2", `${name}/add`, [`${name}/Identity`, `${name}/one`], { T }),
    node("NextIteration", `${name}/NextIteration`, [`${name}/add`], { T }),
    node("Exit", `${name}/Exit`, [`${name}/Switch`], { T }),
  ];
}

function arithmetic(op: string, compute: (a: number, b: number) => number): KernelDefinition {
  return {
    kind: "pure",
    types: {},
    op,
    create: () => (inputs) => {
      const [a, b] = inputs.map(({ data }) => Number(data[0]));
      const { dtype } = inputs[0] ?? { dtype: "int32" };
      const data = dtype === "int32" ? new Int32Array(1) : new Float32Array(1);
      data[0] = compute(a ?? 0, b ?? 0);
      return [new Tensor(dtype, [], data)];
    },
  };
}

/** Kernels for scalars of float32 and int32. */
const scalarKernels: readonly KernelDefinition[] = [
  arithmetic("AddV2", (a, b) => a + b),
  arithmetic("Add", (a, b) => a + b),
  arithmetic("Sub", (a, b) => a - b),
  arithmetic("Mul", (a, b) => a * b),
  {
    kind: "pure",
    types: {},
    op: "Less",
    create: () => (inputs) => {
      const [a, b] = inputs.map(({ data }) => Number(data[0]));
      return [new Tensor("bool", [], Uint8Array.of(Number((a ?? 0) < (b ?? 0))))];
    },
  },
];

export function stateful(op: string, run: (context: OpContext) => ReturnType<StatefulRun>): KernelDefinition {
  return { kind: "stateful", op, types: {}, create: () => run };
}
type StatefulRun = Extract<KernelDefinition, { kind: "stateful" }>["create"] extends (
  node: never,
) => infer Run
  ? Run extends (context: OpContext) => unknown
    ? Run
    : never
  : never;

/** A rendezvous within this process. */
class LocalRendezvous implements Rendezvous {
  readonly sent = new Map<string, Sent>();
  readonly #waiting = new Map<string, (sent: Sent) => void>();

  send(key: string, sent: Sent): void {
    this.sent.set(key, sent);
    this.#waiting.get(key)?.(sent);
  }

  recv(key: string, signal: AbortSignal): Promise<Sent> {
    const sent = this.sent.get(key);
    if (sent !== undefined) {
      return Promise.resolve(sent);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(key, resolve);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  abort(): void {}
}

export interface Setup {
  readonly kernels?: readonly KernelDefinition[];
  readonly library?: FunctionDefLibrary;
  readonly compute?: KernelOffload;
  readonly signal?: AbortSignal;
}

/** Everything that a step needs, with kernels for scalars. */
export function environment({ kernels = [], library, compute, signal }: Setup = {}) {
  const registry = new KernelRegistry().add(...controlFlowKernels, ...scalarKernels, ...kernels);
  const ops = bundledOpRegistry().withFunctions(library);
  const rendezvous = new LocalRendezvous();
  const resources = new ResourceManager();
  const lines: string[] = [];
  const stepSignal = signal ?? new AbortController().signal;
  // Tests run many steps under one signal.
  setMaxListeners(0, stepSignal);
  const options = { ops, kernels: registry, library };
  const step: StepContext = {
    stepId: 1n,
    signal: stepSignal,
    resources: () => resources,
    stepResources: new ResourceManager(),
    rendezvous,
    functions: new FunctionLibrary({ ...options, library: library ?? FunctionDefLibrary.create() }),
    files: { resolve: () => Promise.reject(notFound("no files")) },
    compute,
    log: (line) => lines.push(line),
  };
  return {
    rendezvous,
    step,
    compile: (nodes: readonly NodeDef[]): CompiledGraph =>
      compileGraph(nodes, { ...options, defaultDevice: DEVICE }),
    run(nodes: readonly NodeDef[], ...args: Value[]): Promise<readonly Value[]> {
      return runGraph(this.compile(nodes), { step, args });
    },
  };
}

/** The only element of each value. */
export function scalars(values: readonly Value[]): unknown[] {
  return values.map((value) => (value instanceof Tensor ? value.item() : value));
}

export const int32 = (value: number) => Tensor.of(value, "int32");
export const float32 = (value: number) => Tensor.of(value, "float32");
