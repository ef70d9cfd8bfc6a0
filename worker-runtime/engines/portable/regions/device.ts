import type { Worker } from "node:worker_threads";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../faults.js";
import type { DType } from "../../../protocol/dtype.js";
import { resourceExhausted, TensorFlowError, unavailable } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { arrayOver } from "../../../protocol/tensor-data.js";
import type { GpuProvider } from "../gpu/choose-gpus.js";
import { type DeviceMemory, DeviceTensor } from "../gpu/device-tensor.js";
import type { GpuMemory } from "../gpu/gpu-memory.js";
import { checkRoomWith } from "../kernels/support/allocation.js";
import { holdValue, letValueGo } from "../memory/held-tensor.js";
import { withPauses } from "../pauses.js";
import { DeviceLostError, SessionError } from "./device-errors.js";
import type {
  DeviceAnswer,
  DeviceRequest,
  RanOutput,
  ReleaseMessage,
  RunMessage,
} from "./device-messages.js";
import {
  DeviceSession,
  type SessionDevice,
  type SessionOutput,
  type SessionRun,
  type SessionUse,
} from "./device-session.js";
import { ResidentHandles } from "./resident-handles.js";
import { staysOnDevice } from "./resident-tensors.js";
import { RUN_THREADS, RUNTIME } from "./runtime.js";
import { SessionArenas } from "./runtime-memory.js";
import { SentTensors } from "./sent-tensors.js";
import { type ShortLimits, ShortSessions } from "./short-sessions.js";
import { type RunningThread, ThreadLife } from "./thread-life.js";

export interface RegionDeviceOptions {
  /** The ONNX Runtime module; tests of its absence name a different one. */
  readonly runtime?: string | undefined;
  /** The time in milliseconds after which an idle thread ends. */
  readonly idleMillis?: number | undefined;
  /** The GPU; defaults to the CPU. Tensors that stay on the GPU count against its memory. */
  readonly gpu?: { readonly provider: GpuProvider; readonly memory: GpuMemory } | undefined;
  /** Which sessions run on the thread that serves gRPC; tests do not depend on how fast their machine is. */
  readonly short?: ShortLimits | undefined;
  /** The module that the thread runs; defaults to the compiled device-thread.js. */
  readonly script?: string | undefined;
  /** Called once if ONNX Runtime cannot be loaded or its thread repeatedly ends. */
  onUnavailable?(reason: string): void;
}

/** The messages of ONNX Runtime and Dawn if a driver fails or its memory is full. */
const LOST_ADAPTER = /device\]? (?:"[^"]*" )?(?:is |was |has been )?lost|DeviceLost|DXGI_ERROR_DEVICE_/i;
const OUT_OF_MEMORY = /out of memory|OutOfMemory|OUT_OF_DEVICE_MEMORY|E_OUTOFMEMORY|failed to allocate/i;
/**
 * How long tensors that nothing needs any more stay on the thread, unless a run frees them before: with a message for each
 * of them, a step of training would wake the thread once more for every variable that it has changed.
 */
const FREED_MILLIS = 20;

/**
 * An ONNX Runtime device: sessions and their runs on a dedicated thread. The thread starts with the first session and
 * ends when idle; a task without regions does not even load the library.
 */
export class RegionDevice implements DeviceMemory, SessionDevice {
  readonly #options: RegionDeviceOptions;
  readonly #life: ThreadLife;
  /** Undefined unless this is a CPU. */
  readonly #short: ShortSessions | undefined;
  readonly #arenas = new SessionArenas();
  #sessions = 0;
  #sent: SentTensors;
  /** The tensors on the current thread. */
  #residents: ResidentHandles | undefined;
  /** Handles of tensors that the thread is yet to free. */
  #freed: number[] = [];
  #freeing: NodeJS.Timeout | undefined;
  #blockedChannels: Promise<number | undefined> | undefined;

  constructor(options: RegionDeviceOptions = {}) {
    this.#options = options;
    const { gpu, runtime, idleMillis, script, short } = options;
    this.#sent = new SentTensors(gpu?.memory);
    gpu?.memory.onFull(() => {
      this.#sent.forgetAll();
      this.#releaseForgotten();
    });
    this.#short = gpu === undefined ? new ShortSessions(runtime ?? RUNTIME, RUN_THREADS, short) : undefined;
    this.#life = new ThreadLife({
      runtime,
      idleMillis,
      script,
      provider: gpu?.provider,
      mayRestart: gpu === undefined,
      // Variables are on a GPU, and may be on the thread of the CPU.
      mayRest: () =>
        gpu === undefined && this.#residents?.isEmpty !== false && this.#short?.isEmpty !== false,
      failureOf: (reason) => this.#failureOf(reason),
      onEnded: () => {
        this.#residents?.clear();
        this.#sent.forgetAll();
        this.#short?.releaseAll();
        this.#arenas.closeAll();
        this.#takeFreed();
      },
      onUnavailable: (reason) => options.onUnavailable?.(reason),
    });
  }

  /** False once ONNX Runtime is known not to work here. */
  get isAvailable(): boolean {
    return this.#life.isAvailable;
  }

  /** Whether the thread is running. */
  get isRunning(): boolean {
    return this.#life.current !== undefined;
  }

  /**
   * Creates a session.
   * @throws SessionError if ONNX Runtime rejects the model; DeviceLostError.
   */
  async makeSession(
    model: Uint8Array,
    outputs: readonly SessionOutput[],
    { usesOneThread = false, peakBytes = 0, keepsMemory: mayKeep = true }: SessionUse = {},
  ): Promise<DeviceSession> {
    const { worker, generation } = this.#start();
    this.#sessions += 1;
    const session = this.#sessions;
    // The model is no longer needed here, but its memory may be part of a larger buffer.
    const staying = outputs.map(({ dtype, stays }) => stays || (this.isGpu && staysOnDevice(dtype)));
    // On a GPU, what is computed on the processor is little.
    const keepsMemory = mayKeep && (this.isGpu || this.#arenas.open(session, peakBytes));
    const make = (request: number) =>
      worker.postMessage({
        kind: "make",
        request,
        session,
        model,
        staying,
        usesOneThread,
        keepsMemory,
      } satisfies DeviceRequest);
    const answer = await this.#life.ask(make).catch((error: unknown) => {
      this.#arenas.close(session);
      throw error;
    });
    if (answer.kind === "made") {
      this.#short?.made(session, { model, usesOneThread, keepsMemory, millis: answer.millis });
    }
    const dtypes = outputs.map(({ dtype }) => dtype);
    return new DeviceSession(this, session, generation, dtypes);
  }

  /**
   * As in `LoweringContext`.
   * @throws DeviceLostError.
   */
  async blockedChannels(): Promise<number | undefined> {
    if (this.isGpu) {
      return undefined;
    }
    const { worker } = this.#start();
    this.#blockedChannels ??= this.#life
      .ask((request) => worker.postMessage({ kind: "describe", request } satisfies DeviceRequest))
      .then((answer) => (answer.kind === "described" ? answer.blockedChannels : undefined));
    try {
      return await this.#blockedChannels;
    } catch (error) {
      this.#blockedChannels = undefined;
      throw error;
    }
  }

  /** For `DeviceSession`. */
  async run(
    session: number,
    generation: number,
    given: readonly Tensor[],
    signal: CancellationSignal,
  ): Promise<SessionRun> {
    this.#threadOf(generation);
    given.forEach(holdValue);
    const short = this.#short?.borrow(session, given);
    try {
      const isElsewhere = (input: Tensor): input is DeviceTensor =>
        input instanceof DeviceTensor && (short !== undefined || input.memory !== this);
      const wereElsewhere = given.some(isElsewhere);
      const inputs = wereElsewhere
        ? await Promise.all(given.map((input) => (isElsewhere(input) ? input.toHost({ signal }) : input)))
        : given;
      return await (short?.run(inputs, wereElsewhere, signal) ??
        this.#runHeld(session, generation, inputs, signal));
    } finally {
      short?.giveBack();
      given.forEach(letValueGo);
    }
  }

  async #runHeld(
    session: number,
    generation: number,
    inputs: readonly Tensor[],
    signal: CancellationSignal,
  ): Promise<SessionRun> {
    const copies = await withPauses(this.#sent.copy(inputs), signal);
    const thread = this.#threadOf(generation);
    const answer = await this.#life.ask(
      (request) => {
        const sent = this.#sent.send(inputs, copies);
        const freed = this.#takeFreed();
        const message: RunMessage = { kind: "run", request, session, inputs: sent.inputs, freed };
        thread.postMessage(message, sent.transfer);
        this.#releaseForgotten();
      },
      signal,
      (late) => this.#freeOutputs(late),
    );
    if (answer.kind !== "ran") {
      return { outputs: [], millis: 0 };
    }
    this.#short?.ranElsewhere(session, inputs, answer.millis);
    return answer;
  }

  /** @throws DeviceLostError if the thread of a session has ended. */
  #threadOf(generation: number): Worker {
    const { current } = this.#life;
    if (current?.generation !== generation) {
      throw new DeviceLostError("The session's thread has ended.");
    }
    return current.worker;
  }

  /**
   * For `DeviceSession`: the tensor of an output.
   * @throws TensorFlowError RESOURCE_EXHAUSTED, after releasing its memory.
   */
  tensorOf(output: RanOutput, dtype: DType): Tensor {
    const { shape } = output;
    if ("handle" in output) {
      this.#residents?.add(output.handle, dtype, shape);
      return new DeviceTensor(dtype, shape, this, output.handle);
    }
    const tensor = new Tensor(dtype, shape, arrayOver(dtype, output.data));
    checkRoomWith(tensor);
    return tensor;
  }

  /** The bytes of the tensors on the device. */
  get usedBytes(): number {
    return this.#options.gpu?.memory.usedBytes ?? 0;
  }

  get isGpu(): boolean {
    return this.#options.gpu !== undefined;
  }

  get name(): string {
    return this.#options.gpu?.memory.device ?? "/device:CPU:0";
  }

  async read(handle: number, signal: CancellationSignal): Promise<ArrayBuffer> {
    const thread = this.#threadOfTensors();
    const fetch = (request: number) =>
      thread.postMessage({ kind: "fetch", request, handle } satisfies DeviceRequest);
    const answer = await this.#life.ask(fetch, signal).catch((error: unknown) => {
      throw error instanceof TensorFlowError ? error : this.#lostTensor(error);
    });
    return answer.kind === "fetched" ? answer.data : new ArrayBuffer(0);
  }

  free(handle: number): void {
    this.#residents?.free(handle);
  }

  #threadOfTensors(): Worker {
    const { current } = this.#life;
    if (current === undefined) {
      throw this.#lostTensor(new Error("its thread has ended"));
    }
    return current.worker;
  }

  #lostTensor(error: unknown): TensorFlowError {
    const reason = error instanceof Error ? error.message : String(error);
    return unavailable(
      this.isGpu
        ? `A tensor on ${this.name} was lost: ${reason}. Restart the task to use the GPU again; variables that were on it start anew.`
        : `The value of a variable was lost with ONNX Runtime's thread: ${reason}. Restore the variable from a checkpoint.`,
    );
  }

  #freeOutputs(answer: DeviceAnswer): void {
    if (answer.kind === "ran") {
      this.#release({
        tensors: answer.outputs.flatMap((output) => ("handle" in output ? output.handle : [])),
      });
    }
  }

  #releaseForgotten(): void {
    const inputs = this.#sent.takeForgotten();
    if (inputs.length > 0) {
      this.#release({ inputs });
    }
  }

  /** The thread frees the tensor before its next run, or soon. */
  #freeSoon(handles: readonly number[]): void {
    this.#freed.push(...handles);
    // A task that ends does not wait for it.
    this.#freeing ??= setTimeout(() => this.#release({ tensors: this.#takeFreed() }), FREED_MILLIS).unref();
  }

  /** The tensors that the thread is told to free now. */
  #takeFreed(): readonly number[] {
    clearTimeout(this.#freeing);
    this.#freeing = undefined;
    const freed = this.#freed;
    this.#freed = [];
    return freed;
  }

  #release({ sessions = [], inputs = [], tensors = [] }: Partial<Omit<ReleaseMessage, "kind">>): void {
    this.#life.current?.worker.postMessage({
      kind: "release",
      sessions,
      inputs,
      tensors,
    } satisfies DeviceRequest);
  }

  /** For `DeviceSession`: whether its thread is still running. */
  has(generation: number): boolean {
    return this.#life.current?.generation === generation;
  }

  /** For `DeviceSession`. */
  mayKeep(session: number, bytes: number): boolean {
    return this.#arenas.takes(session, bytes);
  }

  /** For `DeviceSession`: releases a session. */
  release(session: number, generation: number): void {
    if (this.has(generation)) {
      this.#release({ sessions: [session] });
      this.#short?.release(session);
      this.#arenas.close(session);
      this.#life.restWhenIdle();
    }
  }

  /** Ends the thread. Pending calls fail with DeviceLostError; the next session starts a new thread. */
  async restart(): Promise<void> {
    await this.#life.restart();
  }

  /** Ends the thread. Pending calls fail. */
  async close(): Promise<void> {
    await this.#life.close();
  }

  #start(): RunningThread {
    const wasRunning = this.isRunning;
    const running = this.#life.start();
    if (!wasRunning) {
      this.#sent = new SentTensors(this.#options.gpu?.memory);
      this.#residents = new ResidentHandles(this.#options.gpu?.memory, (tensors) => {
        this.#freeSoon(tensors);
        this.#life.restWhenIdle();
      });
    }
    return running;
  }

  #failureOf(reason: string): Error {
    const { gpu } = this.#options;
    if (gpu !== undefined && LOST_ADAPTER.test(reason)) {
      this.#life.setUnavailable(reason);
      inBackground(Promise.resolve().then(() => this.#life.end(reason)));
      return new DeviceLostError(reason);
    }
    return gpu !== undefined && OUT_OF_MEMORY.test(reason)
      ? resourceExhausted(`OOM on ${gpu.memory.device}: ${reason}`)
      : new SessionError(reason);
  }
}
