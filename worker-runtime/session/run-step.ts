import {
  type RunMetadata,
  RunOptions,
  RunOptions_TraceLevel,
} from "../../protos/generated/tensorflow/config.js";
import { RunStepRequest, type RunStepResponse } from "../../protos/generated/tensorflow/master.js";
import type { NamedTensorProto } from "../../protos/generated/tensorflow/named_tensor.js";
import { internalError, statusCodeOf, TensorFlowError } from "../protocol/status.js";
import { type Tensor, tensorFromReceived, tensorToProto } from "../protocol/tensor.js";
import { randomRequestId } from "../random-id.js";
import { stepTargets } from "./step-targets.js";

/** How a step is run. */
export interface StepOptions {
  /** Record when and where each node ran (FULL_TRACE); the result then has metadata. */
  readonly trace?: boolean | undefined;
  /** Ends the step with DEADLINE_EXCEEDED, on the servers as well. Defaults to none. */
  readonly timeoutMillis?: number | undefined;
  /** Return the graphs that the tasks ran, after all rewrites. */
  readonly outputPartitionGraphs?: boolean | undefined;
  /** Anything else of TensorFlow's RunOptions; the options above take precedence. */
  readonly runOptions?: Partial<RunOptions> | undefined;
}

/** The result of a step. */
export interface RunResult {
  /** One for each fetch, in the order of the fetches. */
  readonly values: Tensor[];
  /** Present if a trace or partition graphs were requested. */
  readonly metadata?: RunMetadata;
}

/** The names and tensors of a step on the wire. */
export interface StepNames {
  readonly feeds: ReadonlyMap<string, Tensor>;
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
}

/** The options of a step on the wire; undefined if all have their defaults. */
export function runOptionsOf(options: StepOptions | undefined): RunOptions | undefined {
  if (options === undefined) {
    return undefined;
  }
  const { trace, timeoutMillis, outputPartitionGraphs, runOptions } = options;
  const proto: RunOptions = { ...RunOptions.create(), ...runOptions };
  if (trace) {
    proto.traceLevel = RunOptions_TraceLevel.FULL_TRACE;
  }
  if (timeoutMillis !== undefined) {
    proto.timeoutInMs = BigInt(Math.ceil(timeoutMillis));
  }
  if (outputPartitionGraphs) {
    proto.outputPartitionGraphs = true;
  }
  return proto;
}

/** The request of a step, without fetches that are also fed: the client has them, and a master rejects them. */
export function runStepRequest(
  sessionHandle: string,
  { feeds, fetches, targets }: StepNames,
  options: RunOptions | undefined,
  partialRunHandle = "",
): RunStepRequest {
  const request = RunStepRequest.create();
  request.sessionHandle = sessionHandle;
  for (const [name, tensor] of feeds) {
    request.feed.push({ name, tensor: tensorToProto(tensor) });
  }
  request.fetch = [...new Set(fetches)].filter((name) => !feeds.has(name));
  // A part of a partial run may name nothing that the run was not set up with.
  request.target =
    partialRunHandle === ""
      ? [...stepTargets([...feeds.keys()], [...new Set(targets)], request.fetch)]
      : [...new Set(targets)];
  request.options = options;
  request.partialRunHandle = partialRunHandle;
  request.storeErrorsInResponseBody = true;
  request.requestId = randomRequestId();
  return request;
}

/**
 * The result of a step.
 * @throws TensorFlowError the error in the body of the response; INTERNAL if a fetch is missing.
 */
export function runResultOf(response: RunStepResponse, { feeds, fetches }: StepNames): RunResult {
  if (response.statusCode !== 0) {
    throw new TensorFlowError(statusCodeOf(response.statusCode), response.statusErrorMessage);
  }
  const byName = tensorsByName(response.tensor, new Set(fetches));
  const values = fetches.map((name) => {
    const value = byName.get(name) ?? feeds.get(name);
    if (value === undefined) {
      throw internalError(`The master's answer does not hold ${name}, which was fetched.`);
    }
    return value;
  });
  return resultOf(values, response.metadata);
}

/** Masters send an empty RunMetadata with every step; it is returned only if it has content. */
export function resultOf(values: Tensor[], metadata: RunMetadata | undefined): RunResult {
  if (metadata === undefined) {
    return { values };
  }
  const { stepStats, costGraph, partitionGraphs, functionGraphs, sessionMetadata } = metadata;
  const saysNothing = [stepStats, costGraph, sessionMetadata].every((part) => part === undefined);
  return saysNothing && partitionGraphs.length + functionGraphs.length === 0
    ? { values }
    : { values, metadata };
}

function tensorsByName(
  tensors: readonly NamedTensorProto[],
  wanted: ReadonlySet<string>,
): Map<string, Tensor> {
  return new Map(
    tensors.map(({ name, tensor }) => {
      if (!wanted.has(name) || tensor === undefined) {
        throw internalError(`The master's answer holds ${name}, which was not fetched, or no value for it.`);
      }
      return [name, tensorFromReceived(tensor)];
    }),
  );
}
