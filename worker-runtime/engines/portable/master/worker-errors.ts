import {
  asTensorFlowError,
  messageWithoutTask,
  StatusCode,
  statusCodeName,
  TensorFlowError,
} from "../../../protocol/status.js";

/** The same as TensorFlow's; more does not fit into gRPC's trailers. */
const MAX_COMBINED_LENGTH = 8 * 1024;
const MAX_MESSAGE_LENGTH = 2 * 1024;

/** A task's failure. */
export interface TaskFailure {
  /** "/job:worker/replica:0/task:1". */
  readonly task: string;
  readonly error: unknown;
}

/**
 * Combines the errors of several tasks into one for the client. When one task fails, the others are cancelled or miss
 * the tensors it should have sent: such derived errors are left out as long as there is a root.
 * @param failures in the order in which they came.
 * @param wasCancelled whether tasks were cancelled after the first failure: a later CANCELLED is then no news.
 */
export function combinedError(failures: readonly TaskFailure[], wasCancelled = false): TensorFlowError {
  const [first, ...others] = rootsOf(failures, wasCancelled).map(({ task, error }) => fromTask(task, error));
  if (first === undefined) {
    return new TensorFlowError(StatusCode.INTERNAL, "A step failed without an error.");
  }
  if (others.length === 0) {
    return first;
  }
  const blocks = [first, ...others].map(({ code, message }) => `${statusCodeName(code)}: ${message}`);
  const text = ["\n=====================", ...blocks, "=====================\n"].join("\n");
  return new TensorFlowError(first.code, text.slice(0, MAX_COMBINED_LENGTH), { task: first.task });
}

interface TaskError {
  readonly task: string;
  readonly error: TensorFlowError;
}

function rootsOf(failures: readonly TaskFailure[], wasCancelled: boolean): readonly TaskError[] {
  const errors = failures.map(({ task, error }) => ({ task, error: asTensorFlowError(error) }));
  const roots = errors.filter(
    ({ error }, index) =>
      !error.isDerived && !(wasCancelled && index > 0 && error.code === StatusCode.CANCELLED),
  );
  const own = roots.filter(
    (one, index) => !roots.some((other, at) => index !== at && passedOn(one, other, index > at)),
  );
  return own.length > 0 ? own : errors.slice(0, 1);
}

/**
 * Whether an error was passed on from another task: the receiver of a tensor gets the error of its sender, with a line
 * or two appended, and a status in a response's body does not say that it is derived.
 */
function passedOn({ error }: TaskError, { error: origin }: TaskError, isLater: boolean): boolean {
  return (
    error.code === origin.code &&
    error.message.startsWith(origin.message) &&
    (isLater || error.message.length > origin.message.length)
  );
}

/** The error with its task as a prefix, as TensorFlow's master writes it. */
function fromTask(task: string, error: TensorFlowError): TensorFlowError {
  const message =
    messageWithoutTask(error.message) !== error.message
      ? error.message
      : `From ${task}:\n${error.message.slice(0, MAX_MESSAGE_LENGTH)}`;
  return new TensorFlowError(error.code, message, { task, payloads: error.payloads, cause: error });
}
