import { parentPort, workerData } from "node:worker_threads";
import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { asTensorFlowError, internalError, StatusCode } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { createKernelRegistry } from "../kernels/all.js";
import { KernelNode } from "../kernels/kernel-node.js";
import { limitTensorBytes } from "../kernels/support/allocation.js";
import {
  collectGarbage,
  joinLedger,
  memoryBudget,
  residentLedger,
} from "../kernels/support/memory-budget.js";
import { withoutPauses } from "../pauses.js";
import type {
  AnswerMessage,
  ComputeThreadData,
  KernelMessage,
  RoomMessage,
  RunMessage,
} from "./compute-messages.js";
import { type PackedTensor, packResults, unpack } from "./tensor-transfer.js";

/**
 * Runs with tensors of at least this many bytes are followed by a garbage collection; it takes a few
 * milliseconds.
 */
const COLLECTED_BYTES = 2 ** 26;

type Kernel = (inputs: readonly Tensor[]) => readonly Tensor[];

const port = parentPort;
const { maxTensorBytes, maxResidentBytes, ledger } = workerData as ComputeThreadData;
limitTensorBytes(maxTensorBytes);
if (ledger !== undefined) {
  joinLedger(ledger, () => port?.postMessage({ wantsRoom: true } satisfies RoomMessage));
  memoryBudget.limitResident(maxResidentBytes);
}
const registry = createKernelRegistry();
const kernels = new Map<number, Kernel>();

function makeKernel({ def, opDef, deviceType }: KernelMessage): Kernel {
  const node = new KernelNode(NodeDef.decode(def), OpDef.decode(opDef));
  const definition = registry.find(node, deviceType);
  if (definition?.kind !== "pure") {
    throw internalError(`A compute thread has no kernel for ${node.op} on ${deviceType}.`);
  }
  return definition.create(node);
}

function run({ kernel: id, definition, forget, inputs }: RunMessage): readonly Tensor[] {
  if (forget !== undefined) {
    kernels.delete(forget);
  }
  if (definition !== undefined) {
    kernels.set(id, makeKernel(definition));
  }
  const kernel = kernels.get(id);
  if (kernel === undefined) {
    throw internalError(`A compute thread does not know kernel ${id}.`);
  }
  return kernel(withoutPauses(unpack(inputs)));
}

function bytesOf(tensors: readonly PackedTensor[]): number {
  return tensors.reduce(
    (sum, { data }) => sum + (data instanceof ArrayBuffer ? data : data.bytes).byteLength,
    0,
  );
}

function answer(request: RunMessage): void {
  // The remains of the last run are garbage by now.
  memoryBudget.letGo();
  residentLedger.publish(bytesOf(request.inputs));
  try {
    const startMillis = performance.now();
    const results = run(request);
    const millis = performance.now() - startMillis;
    const { tensors, transfer } = withoutPauses(packResults(results));
    port?.postMessage({ outputs: tensors, millis } satisfies AnswerMessage, transfer);
  } catch (error) {
    const { code, message } = asTensorFlowError(error, StatusCode.INTERNAL);
    const hasKernel = kernels.has(request.kernel);
    port?.postMessage({ code, message, hasKernel } satisfies AnswerMessage);
  }
  // The rest is garbage: the outputs have moved.
  residentLedger.publish(0);
  if (bytesOf(request.inputs) >= COLLECTED_BYTES) {
    // Otherwise an idle thread keeps the inputs of its last run. At this point they are still referenced.
    setImmediate(collectGarbage);
  }
}

// Messages are queued in the port until there is a listener.
port?.on("message", answer);
