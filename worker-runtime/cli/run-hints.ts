import { taskOfDevice, taskText } from "../cluster/device-name.js";
import { StatusCode, TensorFlowError } from "../protocol/status.js";
import { SavedModelFileError } from "../session/saved-model/restore.js";
import type { RunnableGraph } from "./run-graph.js";
import type { RunCommandOptions } from "./run-options.js";
import { namesGpu, pinsOf } from "./run-pins.js";

type Hint = (error: TensorFlowError, options: RunCommandOptions, graph: RunnableGraph) => string | undefined;

/** A graph for GPUs was run on local tasks without GPUs. */
const withoutGpu: Hint = ({ code, message }, { target }, graph) =>
  code === StatusCode.INVALID_ARGUMENT &&
  /device/i.test(message) &&
  target === undefined &&
  namesGpu(pinsOf(graph.graph))
    ? "The graph has nodes pinned to GPUs that the local tasks do not have; `tensordeck runtime` says why. With " +
      "--soft_placement these nodes run on the CPU."
    : undefined;

/** Uninitialised variables. TensorFlow's two texts are those of its reference and resource variables. */
const uninitialized: Hint = ({ code, message }, { init, restore }, graph) => {
  if (
    code !== StatusCode.FAILED_PRECONDITION ||
    !/uninitialized value|variable is uninitialized/.test(message) ||
    init.length > 0
  ) {
    return undefined;
  }
  if (graph.savedModel !== undefined && !restore) {
    return "The saved values of the variables were not restored: omit --no-restore, or run the operations that set them with --init.";
  }
  const [first] = graph.initializers();
  return `The graph's variables have no values yet. First run the operation that sets them: --init ${first ?? "OPERATION"}.`;
};

/** A file of a SavedModel is missing or damaged. */
const notRestored: Hint = (error) =>
  error instanceof SavedModelFileError
    ? "Copy the missing file from where the model was saved. --no-restore runs the graph without the saved values: its " +
      "results are then not the model's."
    : undefined;

/** Protocol buffers are limited to 2 GiB, and so is every message with fed or fetched values. */
const tooLarge: Hint = ({ code, message }) =>
  code === StatusCode.INTERNAL && message.includes("Protobuf is too large")
    ? "The values that this step fetches exceed 2 GiB, the limit of one message. Fetch fewer " +
      "tensors at once, or reduce or slice them in the graph."
    : undefined;

/** The tasks that nodes are pinned to, "/job:worker/task:1". */
function pinnedTasks({ graph }: RunnableGraph): string[] {
  const tasks = graph.node.flatMap(({ device }) => taskOfDevice(device) ?? []).map(taskText);
  return [...new Set(tasks)].sort();
}

/** A master waits for every task of its cluster, and names them only in its own log. */
const taskMissing: Hint = ({ code, message }, { target }, graph) =>
  code === StatusCode.DEADLINE_EXCEEDED && message.includes("did not create the session")
    ? `Start all tasks of the cluster of ${target ?? "the server"}` +
      `${pinnedTasks(graph).length === 0 ? "" : `; the graph needs ${pinnedTasks(graph).join(", ")}`}.`
    : undefined;

/** A master that gets a ClusterSpec has to find itself in it. */
const masterUnknown: Hint = ({ code, message }, { clusterFile, target }) =>
  code === StatusCode.INVALID_ARGUMENT && message.includes("has no task at") && clusterFile !== undefined
    ? `Set --target to the task's address as it stands in ${clusterFile}${target === undefined ? "" : `; ${target} is not in it`}.`
    : undefined;

const hints: readonly Hint[] = [notRestored, masterUnknown, withoutGpu, uninitialized, tooLarge, taskMissing];

/** The error, with a remedy for users of the command line if TensorFlow's own text has none. */
export function withHint(
  error: unknown,
  options: RunCommandOptions,
  graph: RunnableGraph | undefined,
): unknown {
  if (!(error instanceof TensorFlowError) || graph === undefined) return error;
  for (const hint of hints) {
    const text = hint(error, options, graph);
    if (text !== undefined) {
      return new TensorFlowError(error.code, `${error.message}\n${text}`, {
        task: error.task,
        payloads: error.payloads,
        cause: error,
      });
    }
  }
  return error;
}
