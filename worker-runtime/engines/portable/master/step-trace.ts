import {
  RunMetadata,
  type RunOptions,
  RunOptions_TraceLevel,
} from "../../../../protos/generated/tensorflow/config.js";
import type { DeviceStepStats, StepStats } from "../../../../protos/generated/tensorflow/step_stats.js";
import {
  ExecutorOpts,
  LoggingRequest,
  type RunGraphResponse,
} from "../../../../protos/generated/tensorflow/worker.js";
import type { PreparedStep } from "./prepared-step.js";
import type { WorkerSessions } from "./worker-sessions.js";

const LOGGING_DEADLINE_MILLIS = 10_000;

/** The information about a step that the client requests besides its tensors. */
export class StepTrace {
  readonly #wantsStats: boolean;
  readonly #wantsGraphs: boolean;

  constructor(options: RunOptions | undefined) {
    const level = options?.traceLevel ?? RunOptions_TraceLevel.NO_TRACE;
    this.#wantsStats = level > RunOptions_TraceLevel.NO_TRACE;
    this.#wantsGraphs = options?.outputPartitionGraphs ?? false;
  }

  /** The records that the workers have to make. */
  get execOpts(): ExecutorOpts {
    const options = ExecutorOpts.create();
    options.recordTimeline = this.#wantsStats;
    options.recordPartitionGraphs = this.#wantsGraphs;
    return options;
  }

  /** Makes the workers record the calls between them, which no executor sees. */
  async begin(step: PreparedStep, session: WorkerSessions): Promise<void> {
    if (this.#wantsStats) {
      const request = LoggingRequest.fromPartial({ enableRpcLogging: true });
      await this.#logging(step, session, request);
    }
  }

  /** Ends the recording, and merges the records. */
  async finish(
    stepId: bigint,
    step: PreparedStep,
    session: WorkerSessions,
    responses: readonly RunGraphResponse[],
  ): Promise<RunMetadata> {
    const metadata = RunMetadata.create();
    metadata.partitionGraphs = responses.flatMap(({ partitionGraph }) => partitionGraph);
    if (this.#wantsStats) {
      await this.#logging(step, session, LoggingRequest.fromPartial({ disableRpcLogging: true }));
      const request = LoggingRequest.fromPartial({ fetchStepId: [stepId] });
      const logged = await this.#logging(step, session, request);
      metadata.stepStats = mergeStats([
        ...responses.map(({ stepStats }) => stepStats),
        ...logged.flatMap((response) => response.step.map(({ stepStats }) => stepStats)),
      ]);
    }
    return metadata;
  }

  /** A worker that fails to record leaves a gap; the step is valid nevertheless. */
  async #logging(step: PreparedStep, { cluster }: WorkerSessions, request: LoggingRequest) {
    const tasks = [...new Set(step.partitions.map(({ task }) => task))];
    const answers = await Promise.allSettled(
      tasks.map((task) => cluster.worker(task).logging(request, { deadlineMillis: LOGGING_DEADLINE_MILLIS })),
    );
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  }
}

/** The records of all tasks, one entry for each device. */
function mergeStats(parts: readonly (StepStats | undefined)[]): StepStats {
  const byDevice = new Map<string, DeviceStepStats>();
  for (const stats of parts.flatMap((part) => part?.devStats ?? [])) {
    const known = byDevice.get(stats.device);
    byDevice.set(
      stats.device,
      known === undefined
        ? stats
        : {
            ...known,
            nodeStats: [...known.nodeStats, ...stats.nodeStats],
            threadNames: new Map([...known.threadNames, ...stats.threadNames]),
          },
    );
  }
  return { devStats: [...byDevice.values()] };
}
