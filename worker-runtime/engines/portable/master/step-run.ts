import type { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import {
  type RunGraphRequest,
  RunGraphRequest as RunGraphRequestMessage,
  type RunGraphResponse,
} from "../../../../protos/generated/tensorflow/worker.js";
import { CancellationController } from "../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { isOfClient } from "../../../cancellation/step-signal.js";
import { inBackground } from "../../../faults.js";
import { baseDataType, dtypeOf } from "../../../protocol/dtype.js";
import {
  asTensorFlowError,
  cancelled,
  internalError,
  TensorFlowError as StatusError,
  statusCodeOf,
  type TensorFlowError,
} from "../../../protocol/status.js";
import { randomId } from "../../../random-id.js";
import { waitingNodesOf, withWaitingNodes } from "../executor/waiting-nodes.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { watchParticipants } from "./participant-watch.js";
import type { PreparedStep, RegisteredPartition } from "./prepared-step.js";
import { combinedError, type TaskFailure } from "./worker-errors.js";
import type { WorkerSessions } from "./worker-sessions.js";

/** A worker that does not answer has nothing to clean up, or is gone. */
const CLEANUP_DEADLINE_MILLIS = 60_000;

/**
 * How long an aborted step waits for its workers to report what their nodes waited for. TensorFlow's own worker does
 * not report it, and one that is gone does not answer.
 */
const REPORT_DEADLINE_MILLIS = 300;

/** Tensors by the client's names for them. */
export type NamedTensors = ReadonlyMap<string, TensorProto>;

/** One call of RunGraph at all workers of a step. */
export interface StepCall {
  readonly stepId: bigint;
  readonly feeds: NamedTensors;
  readonly fetches: readonly string[];
  readonly execOpts: RunGraphRequest["execOpts"];
  /** Present in a partial run. */
  readonly partial?: { readonly isFirst: boolean; readonly isLast: boolean } | undefined;
}

export interface StepAnswer {
  readonly tensors: NamedTensors;
  readonly responses: readonly RunGraphResponse[];
}

/**
 * Runs the partitions of a step side by side. When one fails, or a worker is found to be gone, the others are
 * cancelled; the result is returned when all have ended.
 * @param signal ends the step; its reason is the error then, with the nodes that the workers' partitions waited for.
 * @throws TensorFlowError the first root error, with the task that it comes from.
 */
export async function runPartitions(
  step: PreparedStep,
  call: StepCall,
  session: WorkerSessions,
  signal: CancellationSignal,
): Promise<StepAnswer> {
  checkFeeds(step, call.feeds, session.cluster.masterTask);
  const ended = new CancellationController();
  const running = new Set<string>();
  const forward = () => {
    if (isOfClient(signal.reason)) {
      ended.abort(signal.reason);
      return;
    }
    // A worker that cleans up the step reports what its nodes waited for; one whose call is cancelled reports nothing.
    const timer = setTimeout(() => ended.abort(signal.reason), REPORT_DEADLINE_MILLIS);
    ended.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    inBackground(cleanUpAt([...running], call.stepId, session));
  };
  if (signal.aborted) {
    throw reasonOf(signal);
  }
  signal.addEventListener("abort", forward, { once: true });
  const failures: TaskFailure[] = [];
  const fail = (failure: TaskFailure) => {
    failures.push(failure);
    ended.abort(cancelled(`The step failed on ${failure.task}.`));
  };
  const partitions = step.partitions.filter((partition) => takesPart(partition, call, session));
  const stopWatching = watchParticipants(session.cluster, partitions, fail);
  try {
    const responses = await Promise.all(
      partitions.map(async (partition) => {
        const { task } = partition;
        running.add(task);
        try {
          return await runPartition(
            partition,
            requestFor(partition, step, call, session),
            session,
            ended.signal,
          );
        } catch (error) {
          if (signal.aborted) failures.push({ task, error });
          else fail({ task, error });
          return undefined;
        } finally {
          running.delete(task);
        }
      }),
    );
    if (signal.aborted) {
      throw withWaitingNodes(reasonOf(signal), waitingNodesOfTasks(failures));
    }
    if (failures.length > 0) {
      throw combinedError(failures, true);
    }
    const complete = responses.filter((response) => response !== undefined);
    return { tensors: fetchedTensors(step, call, complete), responses: complete };
  } finally {
    stopWatching();
    signal.removeEventListener("abort", forward);
    // Stops everything that could end the step again.
    ended.abort();
  }
}

/** Ends a step at some tasks, each of which then answers with an error. */
async function cleanUpAt(
  tasks: readonly string[],
  stepId: bigint,
  { cluster }: WorkerSessions,
): Promise<void> {
  const options = { deadlineMillis: REPORT_DEADLINE_MILLIS };
  // A failing one is cancelled when the time is over.
  await Promise.allSettled(tasks.map((task) => cluster.worker(task).cleanupGraph({ stepId }, options)));
}

/** The nodes that the errors of a step's tasks name, each with its task. */
function waitingNodesOfTasks(failures: readonly TaskFailure[]): string[] {
  return failures.flatMap(({ task, error }) =>
    waitingNodesOf(asTensorFlowError(error).message).map((line) => `${task}: ${line}`),
  );
}

/** Cleans up the remains of a step at all workers. Not awaited: the client's answer is sent first. */
export function cleanUp(stepId: bigint, step: PreparedStep, { cluster }: WorkerSessions): void {
  const workers = step.partitions.map(({ task }) => cluster.worker(task));
  setImmediate(() => {
    // One that fails is gone, and the step with it.
    const cleanings = workers.map(async (worker) =>
      worker.cleanupGraph({ stepId }, { deadlineMillis: CLEANUP_DEADLINE_MILLIS }),
    );
    inBackground(Promise.allSettled(cleanings));
  });
}

/**
 * In a partial run only the master's own task receives feeds; the others are notified of the beginning and the end.
 */
function takesPart(
  { task }: RegisteredPartition,
  { partial }: StepCall,
  { cluster }: WorkerSessions,
): boolean {
  return partial === undefined || partial.isFirst || partial.isLast || task === cluster.masterTask;
}

function requestFor(
  { task, graphHandle }: RegisteredPartition,
  step: PreparedStep,
  call: StepCall,
  { handle, cluster }: WorkerSessions,
): RunGraphRequest {
  const request = RunGraphRequestMessage.create();
  request.graphHandle = graphHandle;
  request.stepId = call.stepId;
  request.execOpts = call.execOpts;
  request.sessionHandle = handle;
  request.storeErrorsInResponseBody = true;
  request.createWorkerSessionCalled = true;
  request.requestId = BigInt.asIntN(64, randomId());
  request.isPartial = call.partial !== undefined;
  request.isLastPartialRun = call.partial?.isLast ?? false;
  if (task === cluster.masterTask) {
    for (const [name, tensor] of call.feeds) {
      const point = step.feeds.get(name);
      if (point !== undefined) {
        request.send.push({ name: point.key, tensor });
      }
    }
    request.recvKey = call.fetches.flatMap((fetch) => step.fetches.get(fetch) ?? []);
  }
  return request;
}

async function runPartition(
  { task }: RegisteredPartition,
  request: RunGraphRequest,
  { cluster }: WorkerSessions,
  signal: CancellationSignal,
): Promise<RunGraphResponse> {
  const response = await cluster.worker(task).runGraph(request, { signal });
  if (response.statusCode !== 0) {
    throw new StatusError(statusCodeOf(response.statusCode), response.statusErrorMessage);
  }
  return response;
}

/** TensorFlow reports it once the _Recv has run. */
function checkFeeds(step: PreparedStep, feeds: NamedTensors, masterTask: string): void {
  for (const [name, { dtype }] of feeds) {
    const point = step.feeds.get(name);
    if (point !== undefined && baseDataType(dtype) !== point.dataType) {
      throw internalError(
        `From ${masterTask}:\nOutput 0 of type ${cppTypeName(dtypeOf(dtype))} does not match declared output type ` +
          `${cppTypeName(dtypeOf(point.dataType))} for node {{node ${point.node}}}`,
      );
    }
  }
}

function fetchedTensors(
  step: PreparedStep,
  { fetches }: StepCall,
  responses: readonly RunGraphResponse[],
): NamedTensors {
  const byKey = new Map(
    responses.flatMap(({ recv }) => recv.map(({ name, tensor }) => [name, tensor] as const)),
  );
  return new Map(
    fetches.map((fetch) => {
      const tensor = byKey.get(step.fetches.get(fetch) ?? "");
      if (tensor === undefined) {
        throw internalError(`No task sent ${fetch}, which was fetched.`);
      }
      return [fetch, tensor];
    }),
  );
}

function reasonOf(signal: CancellationSignal): TensorFlowError {
  return signal.reason instanceof StatusError
    ? signal.reason
    : cancelled("The step was cancelled by its client.");
}
