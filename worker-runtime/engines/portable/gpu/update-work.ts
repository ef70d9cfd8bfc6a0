import { TensorFlowError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { NodeWork } from "../executor/compiled-node.js";
import type { OpContext, Outputs } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { UpdateLowering } from "../lowering/lowering.js";
import { ModelBuilder, type OnnxValue } from "../onnx/model-builder.js";
import { DeviceLostError } from "../regions/device-errors.js";
import { staysOnDevice } from "../regions/resident-tensors.js";
import type { SessionCache, SharedSession } from "../regions/session-cache.js";
import { variableAt, variableType } from "../regions/updated-variables.js";
import { aloneAnywhere, type Variable } from "../resources/variable.js";
import { toHost } from "./device-tensor.js";

type StatefulWork = Extract<NodeWork, { readonly kind: "stateful" }>;

const NO_VALUE = Tensor.of(0, "float32");

/** The number of shapes for which sessions are kept. */
const MAX_SESSIONS = 4;

export interface UpdateEnvironment {
  readonly sessions: SessionCache;
  /** Writes a line to the task's log. */
  log(line: string): void;
}

/** Whether an update is worth running on a GPU, because its variables stay there. */
export function staysThere(node: KernelNode, { variables }: UpdateLowering): boolean {
  return variables.length > 0 && staysOnDevice(variableType(node));
}

/**
 * The work of an op that changes variables on a GPU: the new values are computed there and stay there. The first run
 * with given shapes uses the CPU kernel, which rejects mismatched inputs.
 */
export class DeviceUpdate {
  readonly #node: KernelNode;
  readonly #lowering: UpdateLowering;
  readonly #kernel: StatefulWork;
  readonly #environment: UpdateEnvironment;
  /** By the shapes of all inputs: those that the kernel has accepted, with a session once it is created. */
  readonly #sessions = new Map<string, SharedSession | undefined>();
  #isGivenUp = false;

  constructor(
    node: KernelNode,
    lowering: UpdateLowering,
    kernel: StatefulWork,
    environment: UpdateEnvironment,
  ) {
    this.#node = node;
    this.#lowering = lowering;
    this.#kernel = kernel;
    this.#environment = environment;
  }

  get work(): StatefulWork {
    return { kind: "stateful", takesDeviceTensors: true, run: (context) => this.#run(context) };
  }

  /** Releases its sessions. */
  release(): void {
    this.#isGivenUp = true;
    for (const shared of this.#sessions.values()) {
      shared?.release();
    }
    this.#sessions.clear();
  }

  async #run(context: OpContext): Promise<Outputs> {
    const { sessions } = this.#environment;
    const inputs = await this.#inputsOf(context);
    if (inputs === undefined || this.#isGivenUp || !sessions.device.isAvailable) {
      return await this.#runKernel(context);
    }
    const { variables, places } = inputs;
    const key = await aloneAnywhere(variables, context.step, () => this.#keyOf(places));
    if (key === undefined || !this.#sessions.has(key)) {
      const outputs = await this.#runKernel(context);
      if (key !== undefined && this.#sessions.size < MAX_SESSIONS) {
        this.#sessions.set(key, undefined);
      }
      return outputs;
    }
    const session = await this.#sessionOf(key, places);
    if (session === undefined) {
      return await this.#runKernel(context);
    }
    const isDone = await aloneAnywhere(variables, context.step, () =>
      this.#update(session, key, places, context),
    );
    if (!isDone) {
      return await this.#runKernel(context);
    }
    const first = context.inputs[this.#lowering.variables[0] ?? 0];
    return this.#node.outputs.length === 0 ? [] : [first];
  }

  /** @returns false if the kernel must do it, later: the kernel acquires the variables itself. */
  async #update(
    shared: SharedSession,
    key: string,
    places: readonly Place[],
    context: OpContext,
  ): Promise<boolean> {
    const tensors = places.map((place) => (place.variable ?? place).value);
    if (!tensors.every((tensor) => tensor !== undefined) || this.#keyOf(places) !== key) {
      return false;
    }
    const values = await this.#runSession(shared, tensors, context);
    if (values === undefined) {
      return false;
    }
    for (const [index, input] of this.#lowering.variables.entries()) {
      const value = values[index];
      if (value !== undefined) {
        places[input]?.variable?.assign(value);
      }
    }
    return true;
  }

  async #runSession(
    { session }: SharedSession,
    tensors: readonly Tensor[],
    { step }: OpContext,
  ): Promise<readonly Tensor[] | undefined> {
    try {
      return await session.run(tensors, step.signal);
    } catch (error) {
      if (error instanceof TensorFlowError) {
        throw error;
      }
      this.#giveUp(error);
      return undefined;
    }
  }

  #giveUp(error: unknown): void {
    if (!(error instanceof DeviceLostError) && !this.#isGivenUp) {
      this.#isGivenUp = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#environment.log(
        `{{node ${this.#node.name}}} cannot be run in ONNX Runtime and is run by its kernel: ${reason}`,
      );
    }
  }

  /** Returns undefined for inputs that the kernel rejects. */
  async #inputsOf(
    context: OpContext,
  ): Promise<{ readonly variables: readonly Variable[]; readonly places: readonly Place[] } | undefined> {
    const variables: Variable[] = [];
    const places: Place[] = [];
    for (const [index, input] of context.inputs.entries()) {
      if (this.#lowering.variables.includes(index)) {
        const variable = variableAt(this.#node, context, index);
        if (variable === undefined) {
          return undefined;
        }
        variables.push(variable);
        places.push({ variable, value: undefined });
      } else if (input instanceof Tensor) {
        places.push({ variable: undefined, value: input });
      } else {
        return undefined;
      }
    }
    return { variables, places };
  }

  #keyOf(places: readonly Place[]): string | undefined {
    const shapes = places.map((place) => (place.variable ?? place).value?.shape);
    return shapes.every((shape) => shape !== undefined) ? JSON.stringify(shapes) : undefined;
  }

  async #sessionOf(key: string, places: readonly Place[]): Promise<SharedSession | undefined> {
    const known = this.#sessions.get(key);
    if (known?.session.isAlive) {
      return known;
    }
    try {
      const made = await this.#make(places);
      if (made === undefined) {
        this.#isGivenUp = true;
      } else if (this.#isGivenUp) {
        made.release();
        return undefined;
      }
      this.#sessions.set(key, made);
      return made;
    } catch (error) {
      this.#giveUp(error);
      return undefined;
    }
  }

  async #make(places: readonly Place[]): Promise<SharedSession | undefined> {
    const model = new ModelBuilder();
    model.setScope(this.#node.name);
    const shapes = new Map<string, readonly number[]>();
    const inputs = places.map((place): OnnxValue => {
      // For a resource, the dtype of its variable.
      const { dtype, shape } = (place.variable ?? place).value ?? NO_VALUE;
      const value = model.input(dtype, shape.length);
      shapes.set(value.name, shape);
      return value;
    });
    const made = this.#lowering.lower(this.#node, inputs, {
      model,
      rank: ({ name }) => shapes.get(name)?.length ?? 0,
      // A session is only for these shapes.
      shape: ({ name }) => shapes.get(name),
      likelyShape: ({ name }) => shapes.get(name),
      value: () => undefined,
    });
    if (made === undefined) {
      return undefined;
    }
    for (const value of made) {
      model.output(value);
    }
    const outputs = made.map(({ dtype }) => ({ dtype, stays: staysOnDevice(dtype) }));
    return await this.#environment.sessions.acquire(model.build("update"), outputs);
  }

  async #runKernel(context: OpContext): Promise<Outputs> {
    const inputs = await Promise.all(context.inputs.map((input) => toHost(input, context.step)));
    const { step, frameId, iteration } = context;
    return await this.#kernel.run({ inputs, step, frameId, iteration });
  }
}

/** An input: a variable, or a value. */
interface Place {
  readonly variable: Variable | undefined;
  readonly value: Tensor | undefined;
}
