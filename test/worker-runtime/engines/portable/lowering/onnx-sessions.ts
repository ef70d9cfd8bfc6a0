import { createHash } from "node:crypto";
import * as ort from "onnxruntime-node";
import { keepHalvesAsIntegers } from "../../../../../worker-runtime/engines/portable/regions/runtime.js";
import { forbidTelemetry } from "../../../../../worker-runtime/engines/portable/regions/telemetry.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { NumericArray } from "../../../../../worker-runtime/protocol/tensor-data.js";
import type { NodeModel } from "./node-model.js";

forbidTelemetry();
keepHalvesAsIntegers(ort);

/** One thread, as the machine's other test has the other core. Errors are thrown: the log need not have them, too. */
const OPTIONS: ort.InferenceSession.SessionOptions = {
  executionProviders: ["cpu"],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 4,
};

/** Runs models on ONNX Runtime's CPU provider. Equal models share a session, so that it runs with more than one set of shapes. */
export class OnnxSessions {
  readonly #sessions = new Map<string, Promise<ort.InferenceSession>>();

  /** @throws Error of ONNX Runtime for a model or for inputs that it refuses. */
  async run({ bytes, inputs, outputs }: NodeModel, tensors: readonly Tensor[]): Promise<readonly Tensor[]> {
    const session = await this.#session(bytes);
    const feeds: Record<string, ort.Tensor> = {};
    for (const [i, name] of inputs.entries()) {
      const tensor = tensors[i];
      if (name !== undefined && tensor !== undefined) feeds[name] = ortTensor(tensor);
    }
    const results = await session.run(feeds);
    return outputs.map(({ name, dtype }) => tensorOf(results[name], dtype));
  }

  /** Ends all sessions. */
  async release(): Promise<void> {
    for (const session of this.#sessions.values()) {
      await session.then(
        (one) => one.release(),
        () => undefined,
      );
    }
    this.#sessions.clear();
  }

  #session(bytes: Uint8Array): Promise<ort.InferenceSession> {
    const key = createHash("sha1").update(bytes).digest("hex");
    let session = this.#sessions.get(key);
    if (session === undefined) {
      session = ort.InferenceSession.create(bytes, OPTIONS);
      this.#sessions.set(key, session);
    }
    return session;
  }
}

function ortTensor({ dtype, data, shape }: Tensor): ort.Tensor {
  return new ort.Tensor(dtype as ort.Tensor.Type, data as ort.Tensor["data"], shape);
}

function tensorOf(result: ort.OnnxValue | undefined, wanted: DType): Tensor {
  if (result === undefined) {
    throw new Error("The model has no such output.");
  }
  const { type, data, dims } = result as ort.Tensor;
  if (type !== wanted) {
    throw new Error(`The lowering says that this output is ${wanted}, and it is ${type}.`);
  }
  return new Tensor(wanted, dims, data as NumericArray);
}
