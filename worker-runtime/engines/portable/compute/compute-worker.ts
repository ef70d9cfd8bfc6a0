import { Worker } from "node:worker_threads";
import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { inBackground } from "../../../faults.js";
import { asTensorFlowError, internalError, StatusCode, TensorFlowError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { tensorBytesLimit } from "../kernels/support/allocation.js";
import { memoryBudget, residentLedger } from "../kernels/support/memory-budget.js";
import { withPauses } from "../pauses.js";
import type { AnswerMessage, ComputeThreadData, KernelMessage, RoomMessage } from "./compute-messages.js";
import { packCopies, unpack } from "./tensor-transfer.js";

/** One pending run of a kernel. */
export interface ComputeJob {
  readonly node: KernelNode;
  readonly deviceType: string;
  readonly inputs: readonly Tensor[];
  /** @param millis how long the thread took. */
  done(outputs: readonly Tensor[], millis: number): void;
  failed(error: TensorFlowError): void;
}

/** Kernels that a thread keeps; sessions come and go, and each has its own nodes. */
const MAX_KERNELS = 256;

/** One compute thread. It has one job at a time. Idle, it does not keep the process alive. */
export class ComputeWorker {
  readonly #thread: Worker;
  readonly #onIdle: () => void;
  readonly #onEnd: () => void;
  /** The thread's kernels by their nodes; least recently used first. */
  readonly #kernels = new Map<KernelNode, number>();
  #nextKernel = 0;
  #job: ComputeJob | undefined;
  #isEnding = false;

  /**
   * @param script the compiled compute-thread.js.
   * @param onIdle called when the thread has answered.
   * @param onEnd called once when the thread is gone, after its job has failed.
   */
  constructor(script: string, onIdle: () => void, onEnd: () => void) {
    this.#onIdle = onIdle;
    this.#onEnd = onEnd;
    // Options of this process, such as a loader of TypeScript, are not for compiled files.
    const ledger = residentLedger.open();
    const workerData: ComputeThreadData = {
      maxTensorBytes: tensorBytesLimit(),
      maxResidentBytes: memoryBudget.residentLimit,
      ledger,
    };
    this.#thread = new Worker(script, { execArgv: [], workerData });
    this.#thread.unref();
    this.#thread.on("message", (message: AnswerMessage | RoomMessage) => {
      if (!("wantsRoom" in message)) {
        inBackground(this.#answered(message));
      } else if (ledger !== undefined) {
        memoryBudget.makeRoom();
        residentLedger.answer(ledger);
      }
    });
    let reason = "A compute thread ended during its work.";
    // Its job fails only once the thread is gone: earlier it would look idle and get another one.
    this.#thread.on("error", (error: Error) => {
      reason = `A compute thread failed: ${error.message}`;
    });
    this.#thread.on("exit", () => {
      if (ledger !== undefined) {
        residentLedger.close(ledger);
      }
      this.#takeJob()?.failed(internalError(reason));
      this.#onEnd();
    });
  }

  /** Whether it can take a job. */
  get isIdle(): boolean {
    return this.#job === undefined && !this.#isEnding;
  }

  isRunning(job: ComputeJob): boolean {
    return this.#job === job;
  }

  /** Starts a job. Only for an idle thread. */
  start(job: ComputeJob): void {
    this.#job = job;
    this.#thread.ref();
    inBackground(this.#send(job));
  }

  /** Ends the thread, whatever it is doing; its job fails with the reason. */
  async terminate(reason: TensorFlowError): Promise<void> {
    this.#isEnding = true;
    this.#takeJob()?.failed(reason);
    await this.#thread.terminate();
  }

  /** Copies the inputs, large ones in pieces, and hands the job to the thread. */
  async #send(job: ComputeJob): Promise<void> {
    try {
      const { tensors, transfer } = await withPauses(packCopies(job.inputs));
      if (this.#job === job) {
        const { kernel, isNew, forget } = this.#kernelOf(job.node);
        const definition = isNew ? definitionOf(job) : undefined;
        this.#thread.postMessage({ kernel, definition, forget, inputs: tensors }, transfer);
      }
    } catch (error) {
      // Most probably there is no memory for the copies.
      this.#takeJob()?.failed(asTensorFlowError(error, StatusCode.RESOURCE_EXHAUSTED));
      this.#onIdle();
    }
  }

  #kernelOf(node: KernelNode): { kernel: number; isNew: boolean; forget: number | undefined } {
    const known = this.#kernels.get(node);
    if (known !== undefined) {
      this.#kernels.delete(node);
      this.#kernels.set(node, known);
      return { kernel: known, isNew: false, forget: undefined };
    }
    const kernel = this.#nextKernel;
    this.#nextKernel += 1;
    this.#kernels.set(node, kernel);
    const [oldest] = this.#kernels;
    if (this.#kernels.size <= MAX_KERNELS || oldest === undefined) {
      return { kernel, isNew: true, forget: undefined };
    }
    this.#kernels.delete(oldest[0]);
    return { kernel, isNew: true, forget: oldest[1] };
  }

  async #answered(answer: AnswerMessage): Promise<void> {
    const job = this.#job;
    if ("outputs" in answer) {
      try {
        const outputs = await withPauses(unpack(answer.outputs));
        // Meanwhile the thread may have been ended, and with it the job.
        if (this.#job === job) {
          this.#takeJob()?.done(outputs, answer.millis);
        }
      } catch (error) {
        this.#takeJob()?.failed(asTensorFlowError(error, StatusCode.RESOURCE_EXHAUSTED));
      }
    } else {
      if (job !== undefined && !answer.hasKernel) {
        this.#kernels.delete(job.node);
      }
      this.#takeJob()?.failed(new TensorFlowError(answer.code, answer.message));
    }
    this.#onIdle();
  }

  #takeJob(): ComputeJob | undefined {
    const job = this.#job;
    this.#job = undefined;
    this.#thread.unref();
    return job;
  }
}

function definitionOf({ node, deviceType }: ComputeJob): KernelMessage {
  return {
    def: NodeDef.encode(node.def).finish(),
    opDef: OpDef.encode(node.opDef).finish(),
    deviceType,
  };
}
