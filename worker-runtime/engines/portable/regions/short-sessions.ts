import type { InferenceSession } from "onnxruntime-node";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../faults.js";
import { cancelledBy } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { bytesOf } from "./bytes-of.js";
import { SessionError } from "./device-errors.js";
import type { SessionRun } from "./device-session.js";
import {
  loadRuntime,
  outputMemory,
  type Runtime,
  runInOrder,
  sessionOptions,
  tensorOver,
} from "./runtime.js";
import { numbersOf } from "./sent-tensors.js";

/** The longest time of a short call. Other calls wait while the thread that serves gRPC runs or makes a session. */
export interface ShortLimits {
  readonly runMillis: number;
  /** On ONNX Runtime's thread. */
  readonly makeMillis: number;
}

/**
 * A small CNN's session runs for 4 ms. Making it takes 31 to 37 ms on ONNX Runtime's thread, since the steps before run at
 * the same time, and 14 to 16 ms later on the thread that serves gRPC, which other calls must not wait for longer than 50 ms.
 */
const DEFAULT_LIMITS: ShortLimits = { runMillis: 8, makeMillis: 80 };
/**
 * How many of a number of runs on ONNX Runtime's thread must be short before a session comes here: any of them may be
 * interrupted, and the first are slow. It is observed that many times at most.
 */
const OBSERVED_RUNS = 32;
const MIN_SHORT_RUNS = 24;
const MAX_OBSERVATIONS = 32;
/** After so many long runs in a row, or so many whose inputs were all the time on ONNX Runtime's thread, it goes back there. */
const MAX_MISSES = 8;
/** The models of sessions that are not decided yet are kept. */
const MAX_MODEL_BYTES = 4 * 2 ** 20;

/** A session that ONNX Runtime's thread has made. */
export interface MadeSession {
  readonly model: Uint8Array;
  readonly usesOneThread: boolean;
  /** True if it keeps its memory for the next run. */
  readonly keepsMemory: boolean;
  /** How long making it took there. */
  readonly millis: number;
}

interface Candidate extends MadeSession {
  runs: number;
  shortRuns: number;
  observations: number;
  /** The most bytes of inputs with which it was observed. With more, a run may take longer. */
  bytes: number;
}

/** A session on the thread that serves gRPC. */
class ShortSession {
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  /** The most bytes of inputs with which it runs here. */
  readonly #bytes: number;
  /** A longer run is no short one. */
  readonly #maxMillis: number;
  #misses = 0;
  #borrowers = 0;
  #isReleased = false;

  constructor(runtime: Runtime, session: InferenceSession, bytes: number, maxMillis: number) {
    this.#runtime = runtime;
    this.#session = session;
    this.#bytes = bytes;
    this.#maxMillis = maxMillis;
  }

  /** Whether it is worthwhile. */
  get isUseful(): boolean {
    return this.#misses < MAX_MISSES;
  }

  takes(inputs: readonly Tensor[]): boolean {
    return bytesOf(inputs) <= this.#bytes;
  }

  borrow(): void {
    this.#borrowers += 1;
  }

  giveBack(): void {
    this.#borrowers -= 1;
    this.#releaseUnlessBorrowed();
  }

  /** It is released once nobody runs it. */
  release(): void {
    this.#isReleased = true;
    this.#releaseUnlessBorrowed();
  }

  /**
   * @param inputs on the host.
   * @param wereElsewhere whether some had to be copied from ONNX Runtime's thread.
   * @throws SessionError with ONNX Runtime's message; TensorFlowError CANCELLED.
   */
  async run(
    inputs: readonly Tensor[],
    wereElsewhere: boolean,
    signal: CancellationSignal,
  ): Promise<SessionRun> {
    if (signal.aborted) {
      throw cancelledBy(signal.reason, "The step");
    }
    const given = inputs.map((input) =>
      tensorOver(this.#runtime, input.dtype, numbersOf(input), input.shape),
    );
    const startMillis = performance.now();
    try {
      const outputs = outputMemory(await runInOrder(this.#session, given));
      return { outputs, millis: performance.now() - startMillis };
    } catch (error) {
      throw new SessionError(error instanceof Error ? error.message : String(error));
    } finally {
      const isMiss = wereElsewhere || performance.now() - startMillis > this.#maxMillis;
      this.#misses = isMiss ? this.#misses + 1 : 0;
    }
  }

  #releaseUnlessBorrowed(): void {
    if (this.#isReleased && this.#borrowers === 0) {
      inBackground(this.#session.release());
    }
  }
}

/**
 * Sessions on the thread that serves gRPC, for models whose runs are short: the way to ONNX Runtime's thread and back wakes
 * two threads and copies the inputs, which takes a tenth to a fifth of the time of a small network's step. Each is also kept on ONNX
 * Runtime's thread, for larger inputs and for when its runs become long.
 */
export class ShortSessions {
  readonly #module: string;
  readonly #threads: number;
  readonly #limits: ShortLimits;
  readonly #candidates = new Map<number, Candidate>();
  readonly #sessions = new Map<number, ShortSession>();
  readonly #making = new Set<number>();
  #runtime: Promise<Runtime> | undefined;
  #isAvailable = true;

  /**
   * @param module of ONNX Runtime.
   * @param threads that one run may use.
   * @param limits what is short; tests do not depend on how fast their machine is.
   */
  constructor(module: string, threads: number, limits: ShortLimits = DEFAULT_LIMITS) {
    this.#module = module;
    this.#threads = threads;
    this.#limits = limits;
  }

  /** Whether nothing runs here. */
  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  /** A session may come here once its runs have turned out short. */
  made(number: number, session: MadeSession): void {
    if (
      this.#isAvailable &&
      session.millis <= this.#limits.makeMillis &&
      session.model.byteLength <= MAX_MODEL_BYTES
    ) {
      this.#candidates.set(number, { ...session, runs: 0, shortRuns: 0, observations: 0, bytes: 0 });
    }
  }

  /** A run on ONNX Runtime's thread has ended. */
  ranElsewhere(number: number, inputs: readonly Tensor[], millis: number): void {
    const candidate = this.#candidates.get(number);
    if (candidate === undefined) {
      return;
    }
    candidate.runs += 1;
    candidate.shortRuns += millis <= this.#limits.runMillis ? 1 : 0;
    candidate.bytes = Math.max(candidate.bytes, bytesOf(inputs));
    if (candidate.shortRuns === MIN_SHORT_RUNS) {
      this.#candidates.delete(number);
      inBackground(this.#make(number, candidate));
    } else if (candidate.runs === OBSERVED_RUNS) {
      candidate.runs = 0;
      candidate.shortRuns = 0;
      candidate.observations += 1;
      if (candidate.observations === MAX_OBSERVATIONS) {
        this.#candidates.delete(number);
      }
    }
  }

  /**
   * A session that runs here with these inputs; must be given back.
   * @returns undefined if it runs on ONNX Runtime's thread.
   */
  borrow(number: number, inputs: readonly Tensor[]): ShortSession | undefined {
    const short = this.#sessions.get(number);
    if (short?.isUseful === false) {
      this.release(number);
      return undefined;
    }
    if (short?.takes(inputs) !== true) {
      return undefined;
    }
    short.borrow();
    return short;
  }

  /** A session is no longer needed. */
  release(number: number): void {
    this.#making.delete(number);
    this.#candidates.delete(number);
    const short = this.#sessions.get(number);
    this.#sessions.delete(number);
    short?.release();
  }

  /** No session is needed any more. */
  releaseAll(): void {
    this.#making.clear();
    this.#candidates.clear();
    for (const number of [...this.#sessions.keys()]) {
      this.release(number);
    }
  }

  async #make(number: number, { model, usesOneThread, keepsMemory, bytes }: Candidate): Promise<void> {
    this.#making.add(number);
    try {
      this.#runtime ??= loadRuntime(this.#module);
      const runtime = await this.#runtime;
      const options = {
        ...sessionOptions(undefined, usesOneThread ? 1 : this.#threads),
        enableCpuMemArena: keepsMemory,
      };
      const session = await runtime.InferenceSession.create(model, options);
      if (this.#making.delete(number)) {
        this.#sessions.set(number, new ShortSession(runtime, session, bytes, this.#limits.runMillis));
      } else {
        // It was released in the meantime.
        await session.release();
      }
    } catch {
      // It stays on ONNX Runtime's thread.
      this.#making.delete(number);
      this.#isAvailable = false;
    }
  }
}
