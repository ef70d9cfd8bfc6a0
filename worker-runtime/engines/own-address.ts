import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { formatHostPort, parseHostPort } from "../cluster/address.js";
import { invalidArgument } from "../protocol/status.js";

/** Where a task is to be reached and listen. */
export interface OwnAddress {
  /** As the ClusterSpec gives it, without brackets. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/**
 * The address that a ServerDef gives its own task.
 * @throws TensorFlowError INVALID_ARGUMENT for a task that is not in the cluster or an address without port.
 */
export function ownAddress({ cluster, jobName, taskIndex, port }: ServerDef): OwnAddress {
  const job = cluster?.job.find(({ name }) => name === jobName);
  if (job === undefined) {
    const jobs = cluster?.job.map(({ name }) => name).join(", ") || "none";
    throw invalidArgument(`Job "${jobName}" was not defined in cluster. The cluster's jobs: ${jobs}.`);
  }
  const address = job.tasks.get(taskIndex);
  if (address === undefined) {
    throw invalidArgument(
      `Task ${taskIndex} was not defined in job "${job.name}", which has ` +
        `${[...job.tasks.keys()].sort((a, b) => a - b).join(", ") || "no tasks"}.`,
    );
  }
  const parsed = parseHostPort(address);
  // A port of its own lets an address in the ClusterSpec lead here through a NAT; TensorFlow then ignores the address's.
  if (port !== 0) {
    const colon = address.lastIndexOf(":");
    return { host: parsed?.host ?? address.slice(0, Math.max(colon, 0)), port };
  }
  if (parsed === undefined) {
    throw invalidArgument(
      `Could not parse port for local server from "${address}": task ${taskIndex} of job "${job.name}" ` +
        "needs an address with a port, such as 192.168.1.20:2222.",
    );
  }
  return parsed;
}

/** A copy of the ServerDef in which the own task's port is the one that was chosen, where it was left open. */
export function withChosenPort(given: ServerDef, port: number): ServerDef {
  const serverDef = ServerDef.decode(ServerDef.encode(given).finish());
  const job = serverDef.cluster?.job.find(({ name }) => name === serverDef.jobName);
  const parsed = parseHostPort(job?.tasks.get(serverDef.taskIndex) ?? "");
  if (serverDef.port === 0 && parsed?.port === 0) {
    job?.tasks.set(serverDef.taskIndex, formatHostPort({ host: parsed.host, port }));
  }
  return serverDef;
}
