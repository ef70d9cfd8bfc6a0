import { ClusterSpec } from "../cluster/cluster-spec.js";
import { type EngineName, Server } from "../engines/server.js";
import { inBackground } from "../faults.js";
import { addressOfTarget } from "../rpc/channel.js";
import type { SessionConfig } from "../session/session.js";
import type { PinnedJob } from "./run-pins.js";

/** Tasks of a run, each a server that was started alone; a session that brings their ClusterSpec makes a cluster of them. */
export interface LocalTasks {
  /** The task that leads: where nodes run that are pinned to none. */
  readonly target: string;
  readonly cluster: ClusterSpec;
  stop(): Promise<void>;
}

export interface LocalTaskOptions {
  readonly engine: EngineName | undefined;
  /** The session's configuration, of which servers take what they look at only when they make their devices. */
  readonly config: SessionConfig;
}

/**
 * Starts the tasks on free ports of this machine, all at once. They end with `stop` or with this process. Several share a GPU, so none takes all of its memory; parameter servers see none, as everywhere.
 *
 * @throws TensorFlowError as Server.start, CANCELLED when the signal is aborted before all serve; no task is left then.
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
    Server.launch({ engine, config: shared, ...(job === "ps" ? { gpu: "none" } : {}) }),
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
  for (const [place, server] of servers.entries()) {
    const job = names[place] ?? "";
    addresses[job] = [...(addresses[job] ?? []), addressOfTarget(server.target)];
  }
  return { target: servers[0]?.target ?? "", cluster: ClusterSpec.from(addresses), stop };
}
