import { invalidArgument } from "../protocol/status.js";
import { ClusterSpec } from "./cluster-spec.js";

/**
 * A cluster from the text of a clusterspec.json: `{"worker": ["host:port", …], "ps": …}`, the form that scripts have
 * passed between machines since TensorFlow's first distributed release. Task indices may also be given: `{"worker":
 * {"1": "host:port"}}`.
 * @param name the file, for messages.
 * @throws TensorFlowError INVALID_ARGUMENT when it is not JSON of that form.
 */
export function parseClusterJson(text: string, name = "The cluster file"): ClusterSpec {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw invalidArgument(
      `${name} is not valid JSON (${why}). It looks like {"worker": ["host:port", "host:port"]}.`,
      {
        cause,
      },
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument(`${name} must hold an object from job names to lists of addresses.`);
  }
  // from() checks every job itself, and reports the invalid one.
  return ClusterSpec.from(value as Record<string, string[]>);
}

/** Parses the value of a flag such as --worker_hosts: addresses separated by commas; surrounding spaces are dropped. */
export function splitHosts(hosts: string): string[] {
  return hosts
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
}

export interface HostsFlags {
  readonly psHosts?: string | undefined;
  readonly workerHosts?: string | undefined;
  /** Further jobs, each with its comma-separated addresses, such as `chief`. */
  readonly others?: Readonly<Record<string, string>> | undefined;
}

/** A cluster from the flags --ps_hosts and --worker_hosts; a job whose flag is empty is left out. */
export function clusterFromFlags({ psHosts, workerHosts, others }: HostsFlags): ClusterSpec {
  const jobs = { ps: psHosts ?? "", worker: workerHosts ?? "", ...others };
  return ClusterSpec.from(
    Object.fromEntries(
      Object.entries(jobs)
        .map(([job, hosts]) => [job, splitHosts(hosts)] as const)
        .filter(([, hosts]) => hosts.length > 0),
    ),
  );
}
