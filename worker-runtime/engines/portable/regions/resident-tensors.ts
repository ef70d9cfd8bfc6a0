import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { ModelProto } from "../../../../protos/generated/onnx/onnx.js";
import { type DType, isDType } from "../../../protocol/dtype.js";
import { sameShape } from "../kernels/support/shapes.js";
import { ModelBuilder } from "../onnx/model-builder.js";
import type { MakeMessage } from "./device-messages.js";
import { freeNow } from "./freed-memory.js";
import { type Runtime, runInOrder } from "./runtime.js";

type SessionOptions = InferenceSession.SessionOptions;

/**
 * A session and its reference count: the device holds it, and so do its output tensors that stay on the device. Their
 * memory belongs to the session's allocator, which ONNX Runtime frees with it: freeing a tensor after its session kills
 * the process.
 */
export class ResidentSession {
  readonly session: InferenceSession;
  /** Whether each output stays on the device. */
  readonly staying: readonly boolean[];
  #holders = 1;

  /** Held once, by its creator. */
  constructor(session: InferenceSession, staying: readonly boolean[]) {
    this.session = session;
    this.staying = staying;
  }

  hold(): void {
    this.#holders += 1;
  }

  /** Drops one reference; the last call releases the session. */
  async letGo(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders === 0) {
      await this.session.release();
    }
  }
}

/**
 * The tensors that stay on a device, by handle: in GPU memory with WebGPU, and in this thread's memory with providers
 * whose memory ONNX Runtime's Node package cannot refer to.
 */
export class ResidentTensors {
  readonly #runtime: Runtime;
  readonly #options: SessionOptions;
  readonly #tensors = new Map<number, { readonly tensor: OrtTensor; readonly maker: ResidentSession }>();
  /** Inputs that were copied to the device, by the key under which their memory is kept. */
  readonly #kept = new Map<number, OrtTensor>();
  /** Models with a single Identity, by output location, dtype and rank. */
  readonly #identities = new Map<string, Promise<InferenceSession>>();
  #next: number;

  /** @param firstHandle handles are greater than this. */
  constructor(runtime: Runtime, options: SessionOptions, firstHandle: number) {
    this.#runtime = runtime;
    this.#options = options;
    this.#next = firstHandle;
  }

  /** @throws ONNX Runtime's error for the model. */
  async makeSession({
    model,
    staying,
    usesOneThread,
    keepsMemory,
  }: Omit<MakeMessage, "kind" | "request" | "session">): Promise<ResidentSession> {
    const options = {
      ...this.#options,
      ...(usesOneThread ? { intraOpNumThreads: 1 } : {}),
      ...(keepsMemory ? {} : { enableCpuMemArena: false }),
      ...(this.#hasMemory && staying.includes(true)
        ? { preferredOutputLocation: locationsOf(model, staying) }
        : {}),
    };
    return new ResidentSession(await this.#runtime.InferenceSession.create(model, options), staying);
  }

  /** @param maker the session whose output it is. @returns its handle. */
  add(tensor: OrtTensor, maker: ResidentSession): number {
    this.#next += 1;
    maker.hold();
    this.#tensors.set(this.#next, { tensor, maker });
    return this.#next;
  }

  get(handle: number): OrtTensor {
    const tensor = this.#tensors.get(handle)?.tensor;
    if (tensor === undefined) {
      throw new Error("A device thread was told to use a tensor that it does not have.");
    }
    return tensor;
  }

  async free(handle: number): Promise<void> {
    const known = this.#tensors.get(handle);
    this.#tensors.delete(handle);
    if (known?.tensor.location === "cpu") {
      freeNow([(known.tensor.data as Float32Array).buffer]);
    }
    dispose(known?.tensor);
    await known?.maker.letGo();
  }

  /** Frees everything. Must be called before the thread ends, which frees sessions and tensors in any order. */
  freeAll(): void {
    for (const { tensor } of this.#tensors.values()) {
      dispose(tensor);
    }
    this.#tensors.clear();
    for (const tensor of this.#kept.values()) {
      dispose(tensor);
    }
    this.#kept.clear();
  }

  /** Copies a tensor's bytes. Accessing the data of a tensor on a GPU would kill the process. */
  async read(handle: number): Promise<ArrayBuffer> {
    const tensor = this.get(handle);
    const onHost = tensor.location === "gpu-buffer" ? await this.#throughIdentity(tensor, false) : tensor;
    const { buffer, byteOffset, byteLength } = onHost.data as Float32Array;
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  }

  /** Copies an input that is used repeatedly to the GPU once. @param key the key of a kept input. */
  async stayingOr(key: number | undefined, tensor: OrtTensor): Promise<OrtTensor> {
    if (key === undefined || !this.#hasMemory || !staysOnDevice(tensor.type as DType)) {
      return tensor;
    }
    const known = this.#kept.get(key);
    if (known !== undefined && sameShape(known.dims, tensor.dims)) {
      return known;
    }
    const resident = await this.#throughIdentity(tensor, true);
    dispose(known);
    this.#kept.set(key, resident);
    return resident;
  }

  forgetKept(key: number): void {
    dispose(this.#kept.get(key));
    this.#kept.delete(key);
  }

  get #hasMemory(): boolean {
    return this.#options.executionProviders?.includes("webgpu") ?? false;
  }

  async #throughIdentity(tensor: OrtTensor, stays: boolean): Promise<OrtTensor> {
    const key = `${stays} ${tensor.type} ${tensor.dims.length}`;
    const session = await (this.#identities.get(key) ?? this.#makeIdentity(key, tensor, stays));
    const [copy] = await runInOrder(session, [tensor]);
    return copy as OrtTensor;
  }

  #makeIdentity(key: string, { type, dims }: OrtTensor, stays: boolean): Promise<InferenceSession> {
    if (!isDType(type)) {
      throw new Error(`There is no dtype ${type}.`);
    }
    const model = new ModelBuilder();
    model.output(model.input(type, dims.length));
    const made = this.#runtime.InferenceSession.create(model.build("copy"), {
      ...this.#options,
      preferredOutputLocation: stays ? "gpu-buffer" : "cpu",
    });
    this.#identities.set(key, made);
    return made;
  }
}

/**
 * Whether tensors of a dtype stay on a GPU. Others are computed by the CPU anyway, and conditions and indices are
 * needed on the host.
 */
export function staysOnDevice(dtype: DType): boolean {
  return dtype === "float32" || dtype === "float16";
}

function locationsOf(model: Uint8Array, staying: readonly boolean[]): Record<string, "cpu" | "gpu-buffer"> {
  const outputs = ModelProto.decode(model).graph?.output ?? [];
  return Object.fromEntries(outputs.map(({ name }, index) => [name, staying[index] ? "gpu-buffer" : "cpu"]));
}

function dispose(tensor: OrtTensor | undefined): void {
  if (tensor?.location === "gpu-buffer") {
    tensor.dispose();
  }
}
