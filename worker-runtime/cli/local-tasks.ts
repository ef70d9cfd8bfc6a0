import { ClusterSpec } from "../cluster/cluster-spec.js";
import { PARAMETER_SERVER_JOB } from "../cluster/job-names.js";
import { type EngineName, Server } from "../engines/server.js";
import { inBackground } from "../faults.js";
import { addressOfTarget } from "../rpc/target-address.js";
import type { SessionConfig } from "../session/session.js";
import type { PinnedJob } from "./run-pins.js";

/** Tasks of a run, each a server that was started alone; a session that brings their ClusterSpec makes a cluster of them. */
export interface LocalTasks {
  /** The leading task, which runs the nodes that are not pinned. */
  readonly target: string;
  readonly cluster: ClusterSpec;
  stop(): Promise<void>;
}

export interface LocalTaskOptions {
  readonly engine: EngineName | undefined;
  /** The session's configuration: servers read some of its options only when they create their devices. */
  readonly config: SessionConfig;
}

/**
 * Starts the tasks on free ports of this machine, all at once. They end with `stop` or with this process. They may
 * share a GPU, so none takes all of its memory; parameter servers see no GPU.
 *
 * @throws TensorFlowError as Server.start, CANCELLED when the signal is aborted before all are up; no task is then
 *   left.
 */
export async function startLocalTasks(
  jobs: readonly PinnedJob[],
  { engine, config }: LocalTaskOptions,
  signal: AbortSignal,
): Promise<LocalTasks> {
  const shared = { ...config, gpuOptions: { ...config?.gpuOptions, allowGrowth: true } };
  const names = jobs.flatMap(({ job, tasks }) => Array.from({ length: tasks }, () => job));
  signal.throwIfAborted();
  const servers = names.map((job) =>
    Server.launch({ engine, config: shared, ...(job === PARAMETER_SERVER_JOB ? { gpu: "none" } : {}) }),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const stopNow = (): void => inBackground(stop());
  signal.addEventListener("abort", stopNow, { once: true });
  try {
    await Promise.all(servers.map(({ ready }) => ready));
  } catch (error) {
    await stop();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", stopNow);
  }
  const addresses: Record<string, string[]> = {};
  for (const [index, server] of servers.entries()) {
    const job = names[index] ?? "";
    addresses[job] = [...(addresses[job] ?? []), addressOfTarget(server.target)];
  }
  return { target: servers[0]?.target ?? "", cluster: ClusterSpec.from(addresses), stop };
}
