/** TensorFlow's status codes; the same numbers as gRPC's. */
export const StatusCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode];
export type StatusCodeName = keyof typeof StatusCode;

const nameByCode = new Map<number, StatusCodeName>();
for (const [name, code] of Object.entries(StatusCode)) {
  nameByCode.set(code, name as StatusCodeName);
}

/** The name of a code, "INVALID_ARGUMENT"; "UNKNOWN" for any other number. */
export function statusCodeName(code: number): StatusCodeName {
  return nameByCode.get(code) ?? "UNKNOWN";
}

/** A number from the wire as a code; invalid numbers become UNKNOWN, as gRPC requires. */
export function statusCodeOf(number: number): StatusCode {
  return nameByCode.has(number) ? (number as StatusCode) : StatusCode.UNKNOWN;
}

/**
 * Keys of the payloads that TensorFlow attaches to a status (observed with 2.21). They travel in the gRPC trailer
 * `grpc-status-details-bin` as a serialized GrpcPayloadContainer.
 */
export const PayloadKey = {
  /** The error is a consequence of another one: the peer was cancelled and is not its cause. */
  DERIVED_STATUS: "type.googleapis.com/tensorflow.DerivedStatus",
  WORKER_POSSIBLY_RESTARTED: "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted",
  WORKER_PREEMPTION: "type.googleapis.com/tensorflow.distributed_runtime.WorkerPreemption",
  GRPC_PAYLOADS_LOST: "type.googleapis.com/tensorflow.distributed_runtime.GrpcPayloadsLost",
} as const;

export interface TensorFlowErrorDetails {
  /** The task that the error came from, "/job:worker/replica:0/task:1". Defaults to the task in the message. */
  readonly task?: string | undefined;
  /** Payloads by type URL. */
  readonly payloads?: ReadonlyMap<string, Uint8Array> | undefined;
  readonly cause?: unknown;
}

const noPayloads: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * An error with TensorFlow's code. `message` is the original text, so scripts and people can search for it; it does not
 * include the code.
 */
export class TensorFlowError extends Error {
  override readonly name = "TensorFlowError";
  readonly code: StatusCode;
  /** The task that reported the error, "/job:worker/replica:0/task:1"; absent if unknown. */
  readonly task: string | undefined;
  readonly payloads: ReadonlyMap<string, Uint8Array>;

  constructor(code: StatusCode, message: string, details: TensorFlowErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.task = details.task ?? taskOfMessage(message);
    this.payloads = details.payloads ?? noPayloads;
  }

  get codeName(): StatusCodeName {
    return statusCodeName(this.code);
  }

  /** True if the error is a consequence of another one, as when a step is cancelled because a peer failed. */
  get isDerived(): boolean {
    return this.payloads.has(PayloadKey.DERIVED_STATUS);
  }
}

const taskPrefix = /(?:^|\n)From (\/job:[A-Za-z][\w.-]*(?:\/replica:\d+)?\/task:\d+):/;

/**
 * The task that a master names as the source of an error. TensorFlow's master begins the text of an error that came
 * from a worker with "From /job:worker/replica:0/task:1:" and a line break.
 */
export function taskOfMessage(message: string): string | undefined {
  return taskPrefix.exec(message)?.[1];
}

/** The message without the "From <task>:" line that a master puts before it. */
export function messageWithoutTask(message: string): string {
  return message.replace(/^From \/job:[^\n]*:\n/, "");
}

/** Converts anything thrown to a TensorFlowError; other errors get the code `fallback` (defaults to UNKNOWN). */
export function asTensorFlowError(
  error: unknown,
  fallback: StatusCode = StatusCode.UNKNOWN,
): TensorFlowError {
  if (error instanceof TensorFlowError) {
    return error;
  }
  if (error instanceof Error && error.name === "AbortError") {
    return new TensorFlowError(StatusCode.CANCELLED, error.message, { cause: error });
  }
  return new TensorFlowError(fallback, error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}

/** The reason of an aborted AbortSignal as CANCELLED; a TensorFlowError is kept unchanged. */
export function cancelledBy(reason: unknown, what: string): TensorFlowError {
  if (reason instanceof TensorFlowError) {
    return reason;
  }
  return new TensorFlowError(StatusCode.CANCELLED, `${what} was cancelled.`, { cause: reason });
}

type ErrorFactory = (message: string, details?: TensorFlowErrorDetails) => TensorFlowError;

function factoryOf(code: StatusCode): ErrorFactory {
  return (message, details) => new TensorFlowError(code, message, details);
}

export const cancelled = factoryOf(StatusCode.CANCELLED);
export const invalidArgument = factoryOf(StatusCode.INVALID_ARGUMENT);
export const deadlineExceeded = factoryOf(StatusCode.DEADLINE_EXCEEDED);
export const notFound = factoryOf(StatusCode.NOT_FOUND);
export const alreadyExists = factoryOf(StatusCode.ALREADY_EXISTS);
export const permissionDenied = factoryOf(StatusCode.PERMISSION_DENIED);
export const resourceExhausted = factoryOf(StatusCode.RESOURCE_EXHAUSTED);
export const failedPrecondition = factoryOf(StatusCode.FAILED_PRECONDITION);
export const aborted = factoryOf(StatusCode.ABORTED);
export const outOfRange = factoryOf(StatusCode.OUT_OF_RANGE);
export const unimplemented = factoryOf(StatusCode.UNIMPLEMENTED);
export const internalError = factoryOf(StatusCode.INTERNAL);
export const unavailable = factoryOf(StatusCode.UNAVAILABLE);
export const dataLoss = factoryOf(StatusCode.DATA_LOSS);
