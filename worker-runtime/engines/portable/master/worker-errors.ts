import {
  asTensorFlowError,
  messageWithoutTask,
  StatusCode,
  statusCodeName,
  TensorFlowError,
} from "../../../protocol/status.js";

/** As long as TensorFlow's; more does not fit through gRPC's trailers. */
const MAX_COMBINED_LENGTH = 8 * 1024;
const MAX_MESSAGE_LENGTH = 2 * 1024;

/** What a task answered instead of a result. */
export interface TaskFailure {
  /** "/job:worker/replica:0/task:1". */
  readonly task: string;
  readonly error: unknown;
}

/**
 * One error for the client out of those of several tasks. When one task fails the others are cancelled, or miss what it
 * should have sent: such derived errors are left out as long as there is a root.
 * @param failures in the order in which they came.
 * @param wasCancelled whether tasks were cancelled after the first failure: a CANCELLED behind it says nothing new.
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
    ({ error }, place) =>
      !error.isDerived && !(wasCancelled && place > 0 && error.code === StatusCode.CANCELLED),
  );
  const own = roots.filter(
    (one, place) => !roots.some((other, at) => place !== at && passedOn(one, other, place > at)),
  );
  return own.length > 0 ? own : errors.slice(0, 1);
}

/**
 * Whether an error is another task's: who waits for a tensor gets the error of who should have sent it, with a line or
 * two behind it, and a status in a response's body says nothing of being derived.
 */
function passedOn({ error }: TaskError, { error: origin }: TaskError, isLater: boolean): boolean {
  return (
    error.code === origin.code &&
    error.message.startsWith(origin.message) &&
    (isLater || error.message.length > origin.message.length)
  );
}

/** The error with the task that it comes from before its text, as TensorFlow's master writes it. */
function fromTask(task: string, error: TensorFlowError): TensorFlowError {
  const message =
    messageWithoutTask(error.message) !== error.message
      ? error.message
      : `From ${task}:\n${error.message.slice(0, MAX_MESSAGE_LENGTH)}`;
  return new TensorFlowError(error.code, message, { task, payloads: error.payloads, cause: error });
}
