import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { freeUnlessHeld } from "../memory/held-tensor.js";
import type { RanOutput } from "./device-messages.js";

/** An output of a session. */
export interface SessionOutput {
  readonly dtype: DType;
  /** Whether its values stay on the device, as `DeviceTensor`s. On a GPU, all do that can. */
  readonly stays: boolean;
}

/** The facts about the runs of a session before it is made. */
export interface SessionUse {
  /** True if one thread runs it instead of all that a run may use. */
  readonly usesOneThread?: boolean;
  /** The most memory that a run needs at a time for what it computes. */
  readonly peakBytes?: number;
  /** True if it keeps its memory for the next run, if that is not too much; true unless given. */
  readonly keepsMemory?: boolean;
}

/** The results of a run of a session, and how long it took, without the wait for others. */
export interface SessionRun {
  readonly outputs: readonly RanOutput[];
  readonly millis: number;
}

/** The parts of a device that its session needs. */
export interface SessionDevice {
  readonly isGpu: boolean;
  /** "/device:GPU:0". */
  readonly name: string;
  /** Whether this thread is still running. */
  has(generation: number): boolean;
  run(
    session: number,
    generation: number,
    inputs: readonly Tensor[],
    signal: CancellationSignal,
  ): Promise<SessionRun>;
  /** @throws TensorFlowError RESOURCE_EXHAUSTED, after releasing the output's memory. */
  tensorOf(output: RanOutput, dtype: DType): Tensor;
  release(session: number, generation: number): void;
  /** True if the arena of a session may keep so much after a run. */
  mayKeep(session: number, bytes: number): boolean;
}

/** A session on a device. */
export class DeviceSession {
  readonly #device: SessionDevice;
  readonly #number: number;
  readonly #generation: number;
  readonly #outputs: readonly DType[];
  #isOutgrown = false;

  constructor(device: SessionDevice, number: number, generation: number, outputs: readonly DType[]) {
    this.#device = device;
    this.#number = number;
    this.#generation = generation;
    this.#outputs = outputs;
  }

  /** Whether inputs that are not yet on a GPU are copied to one. */
  get isOnGpu(): boolean {
    return this.#device.isGpu;
  }

  /** "/device:GPU:0". */
  get deviceName(): string {
    return this.#device.name;
  }

  /** False once its thread has ended, or a run would have been too large for it. */
  get isAlive(): boolean {
    return !this.#isOutgrown && this.#device.has(this.#generation);
  }

  /** True if a run would have left too much memory in its arena: one without an arena takes its place. */
  get isOutgrown(): boolean {
    return this.#isOutgrown;
  }

  /**
   * True if it may do a run; otherwise it is released.
   * @param peakBytes the most memory that the run needs at a time for what it computes.
   */
  takes(peakBytes: number): boolean {
    if (this.#device.mayKeep(this.#number, peakBytes)) {
      return true;
    }
    this.release();
    this.#isOutgrown = true;
    return false;
  }

  /**
   * @param onRan called before it resolves with how long the run took, without the wait for other runs.
   * @throws SessionError with ONNX Runtime's message; DeviceLostError; TensorFlowError CANCELLED if the signal is
   *   aborted, RESOURCE_EXHAUSTED if there is no memory for a copy of the inputs.
   */
  async run(
    inputs: readonly Tensor[],
    signal: CancellationSignal,
    onRan?: (millis: number) => void,
  ): Promise<readonly Tensor[]> {
    const { outputs: results, millis } = await this.#device.run(
      this.#number,
      this.#generation,
      inputs,
      signal,
    );
    onRan?.(millis);
    const tensors: Tensor[] = [];
    let failure: { readonly error: unknown } | undefined;
    for (const [index, output] of results.entries()) {
      try {
        tensors.push(this.#device.tensorOf(output, this.#outputs[index] ?? "float32"));
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== undefined) {
      tensors.forEach(freeUnlessHeld);
      throw failure.error;
    }
    return tensors;
  }

  release(): void {
    if (!this.#isOutgrown) {
      this.#device.release(this.#number, this.#generation);
    }
  }
}
