/** Which steps have collectives, and the ids of such steps. */

import type { FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { taskDeviceName, taskOfDevice } from "../../../cluster/device-name.js";
import { unavailable } from "../../../protocol/status.js";
import type { SequenceLeader } from "../collectives/step-sequences.js";
import { hash64Combine } from "../hash64.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import { newStepId } from "../step-id.js";
import type { WorkerSessions } from "./worker-sessions.js";

/** The graph key if collectives get their keys only when they run; TensorFlow's hashes also start with it. */
const HASH_SEED = 0x8774aa605c729c72n;

/**
 * The graph key of a step without an explicit one, computed as in TensorFlow: the same for all masters whose graphs
 * have the same collectives. TensorFlow combines the instance keys in their order by tsl's Hash64Combine.
 * @returns a signed 64-bit number; 0 for a step without collectives.
 */
export function collectiveGraphKey(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary | undefined,
  facts: OpFactsSource,
): bigint {
  const keys = new Set<bigint>();
  let isCollective = false;
  for (const list of [nodes, ...(library?.function ?? []).map(({ nodeDef }) => nodeDef)]) {
    for (const { op, attr } of list) {
      if (facts.facts(op).isCollective) {
        isCollective = true;
        const key = attr.get("instance_key")?.value;
        if (key?.$case === "i") {
          keys.add(key.value);
        }
      }
    }
  }
  const hash = [...keys]
    .sort((a, b) => Number(a - b))
    .reduce((sum, key) => hash64Combine(BigInt.asUintN(64, key), sum), HASH_SEED);
  return isCollective ? BigInt.asIntN(64, hash) : 0n;
}

/**
 * The id of the next step of a graph: from a sequence that all masters share if it has collectives, otherwise random.
 * @throws TensorFlowError what the leader of the groups answers; UNAVAILABLE if the session does not know it.
 */
export async function stepIdFor(
  graphKey: bigint,
  session: WorkerSessions,
  signal: CancellationSignal,
): Promise<bigint> {
  const { stepSequences } = session;
  return graphKey === 0n || stepSequences === undefined
    ? newStepId()
    : stepSequences.take(graphKey, leaderOf(session, signal));
}

/** Undefined if the master's own task leads. */
function leaderOf(
  { cluster, groupLeader = "" }: WorkerSessions,
  signal: CancellationSignal,
): SequenceLeader | undefined {
  if (groupLeader === "" || groupLeader === cluster.masterTask) {
    return undefined;
  }
  const device = cluster.remoteDevices.find(({ name }) => {
    const task = taskOfDevice(name);
    return task !== undefined && taskDeviceName(task) === groupLeader;
  });
  if (device === undefined) {
    throw unavailable(
      `${groupLeader}, which leads the groups of collectives, is not among the tasks of the session.`,
    );
  }
  return {
    incarnation: device.incarnation,
    getStepSequence: (request) => cluster.worker(groupLeader).getStepSequence(request, { signal }),
  };
}
