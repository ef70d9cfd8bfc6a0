import type { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import { delay } from "../cancellation/delay.js";
import {
  cancelledBy,
  deadlineExceeded,
  StatusCode,
  TensorFlowError,
  unavailable,
} from "../protocol/status.js";
import type { MasterClient } from "../rpc/master-client.js";
import type { GraphFeed } from "./graph-source.js";
import type { Participants, ProbeResult } from "./participants.js";
import type { PlaceholderTypes } from "./references.js";
import type { SessionPlan } from "./session-options.js";

/** The deadline of one round of health probes. */
const PROBE_DEADLINE_MILLIS = 2000;
const FIRST_RETRY_MILLIS = 100;
const MAX_RETRY_MILLIS = 1000;

/** A session that exists on a master. */
export interface MasterSession {
  readonly handle: string;
  /** Counts the extensions of its graph; an extension names the version that it extends. */
  graphVersion: bigint;
}

/** The inputs of creating a session on a master. */
export interface CreateContext {
  readonly master: MasterClient;
  readonly plan: SessionPlan;
  readonly participants: Participants;
  readonly graph: GraphFeed;
  /** Records the placeholders of the graphs that were sent. */
  readonly placeholders: PlaceholderTypes;
  readonly signal: AbortSignal;
  readonly onProgress: ((text: string) => void) | undefined;
}

function namesOf(results: readonly ProbeResult[]): string {
  return results.map(({ name, address }) => (name === address ? name : `${name} (${address})`)).join(", ");
}

function missingTasks(missing: readonly ProbeResult[], waitedMillis: number): TensorFlowError {
  const [first] = missing;
  const refused = missing.every((one) => one.error?.code === StatusCode.UNAVAILABLE);
  const make = refused ? unavailable : deadlineExceeded;
  const why = missing.map((one) => one.error?.message ?? "").join("\n");
  const waited = waitedMillis < 1000 ? "" : ` within ${Math.round(waitedMillis / 1000)} s`;
  return make(`The session cannot be created: no answer from ${namesOf(missing)}${waited}.\n${why}`, {
    task: first?.task,
    cause: first?.error,
  });
}

/**
 * Waits until every known task answers, since TensorFlow's master waits for a missing one forever without a message.
 *
 * @throws TensorFlowError UNAVAILABLE (nothing listens) or DEADLINE_EXCEEDED, naming the tasks; immediately if the
 *   master itself refuses the connection.
 */
async function waitForTasks({ plan, participants, signal, onProgress }: CreateContext): Promise<void> {
  const started = Date.now();
  let pause = FIRST_RETRY_MILLIS;
  let told = "";
  for (;;) {
    const results = await participants.probe(PROBE_DEADLINE_MILLIS, signal);
    const missing = results.filter((result) => result.error !== undefined);
    const waited = Date.now() - started;
    if (missing.length === 0) {
      return;
    }
    const masterRefuses = results[0]?.error?.code === StatusCode.UNAVAILABLE;
    if (masterRefuses || waited >= plan.taskWaitMillis) {
      throw missingTasks(missing, waited);
    }
    const text = `Waiting for ${namesOf(missing)}`;
    if (text !== told) {
      told = text;
      onProgress?.(text);
    }
    await delay(pause, signal);
    if (signal.aborted) {
      throw cancelledBy(signal.reason, "Creating the session");
    }
    pause = Math.min(pause * 2, MAX_RETRY_MILLIS);
  }
}

/** The deadline of CreateSession: TensorFlow's option for all operations if set, otherwise ours. */
function createDeadline(config: ConfigProto, plan: SessionPlan): number {
  return config.operationTimeoutInMs > 0n ? Number(config.operationTimeoutInMs) : plan.createTimeoutMillis;
}

/**
 * Creates the session on its master, with the graph as far as it has been built.
 * @throws TensorFlowError the master's error, or UNAVAILABLE / DEADLINE_EXCEEDED naming the tasks that do not answer.
 */
export async function createMasterSession(context: CreateContext): Promise<MasterSession> {
  const { master, plan, participants, graph, signal, onProgress } = context;
  await waitForTasks(context);
  onProgress?.("Creating the session");
  const { graph: graphDef, putBack } = graph.take();
  const deadlineMillis = createDeadline(plan.config, plan);
  try {
    const response = await master.createSession(
      { graphDef, config: plan.config, target: plan.target },
      { deadlineMillis, signal },
    );
    context.placeholders.add(graphDef.node);
    return { handle: response.sessionHandle, graphVersion: response.graphVersion };
  } catch (error) {
    putBack();
    if (error instanceof TensorFlowError && error.code === StatusCode.DEADLINE_EXCEEDED && !signal.aborted) {
      const missing = (await participants.probe(PROBE_DEADLINE_MILLIS, signal)).filter(
        (one) => one.error !== undefined,
      );
      if (missing.length > 0) {
        throw missingTasks(missing, deadlineMillis);
      }
      throw deadlineExceeded(
        `The master at ${master.address} did not create the session within ${Math.round(deadlineMillis / 1000)} s, ` +
          "though every task that is known here answers. A task that is not known here may be missing: the master's log names it.",
        { cause: error },
      );
    }
    throw error;
  }
}
