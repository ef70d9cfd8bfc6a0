import type { NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { StepCollectives } from "../collectives/collective.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import type { Rendezvous } from "../rendezvous/rendezvous.js";
import type { FileAccess } from "../resources/file-access.js";
import type { ResourceManager } from "../resources/resource-manager.js";
import type { Value } from "../values.js";

/** State shared by all nodes of one step on one task. */
export interface StepContext {
  readonly stepId: bigint;
  /**
   * The handle of the session whose step this is. Resources that a node creates without a shared name (queues, tables,
   * accumulators) are private to it: `ResourceManager.privateName`, `endSession`.
   */
  readonly session?: string;
  /** Aborted when the step is cancelled or fails elsewhere; its reason is a TensorFlowError. Every wait ends with it. */
  readonly signal: CancellationSignal;
  /** The resources of a device of this task, by its full name. @throws TensorFlowError NOT_FOUND for no device of it. */
  resources(device: string): ResourceManager;
  /** Resources that end with the step: TensorArrays, stacks. */
  readonly stepResources: ResourceManager;
  readonly rendezvous: Rendezvous;
  /** Connects collective ops to the other members; absent for a graph that was registered without collectives. */
  readonly collectives?: StepCollectives | undefined;
  readonly functions: FunctionCaller;
  /** The file access of Save, Restore and other file ops. */
  readonly files: FileAccess;
  /** Runs kernels that would block this thread; if absent, every kernel runs here. */
  readonly compute: KernelOffload | undefined;
  /** A line for the task's log: Print, PrintV2, log_device_placement. */
  log(line: string): void;
}

/** Calls functions of the graph's library. */
export interface FunctionCaller {
  /**
   * Runs a function's body within the step.
   * @param callee its name and the values of its attributes.
   * @param device the full name of the device that the calling node runs on; the body's nodes run there unless they say
   *   otherwise.
   * @throws TensorFlowError NOT_FOUND for no such function, and what its body throws.
   */
  call(
    callee: NameAttrList,
    args: readonly Value[],
    device: string,
    step: StepContext,
  ): Promise<readonly Value[]>;
}
