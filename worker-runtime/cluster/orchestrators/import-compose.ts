/** The cluster that a Docker Compose file describes. */
import { invalidArgument } from "../../protocol/status.js";
import { ClusterSpec } from "../cluster-spec.js";
import { CHIEF_JOB, PARAMETER_SERVER_JOB, WORKER_JOB } from "../job-names.js";
import type { FoundCluster } from "./found-cluster.js";
import {
  assignedIn,
  type Command,
  clusterOfFlags,
  clusterOfTfConfig,
  flagOf,
  withInnerCommands,
} from "./import-shell.js";
import { isRecord, type Json } from "./json-values.js";
import { splitShellWords } from "./shell-words.js";

/** TensorFlow's usual port, taken where a service names none. */
const DEFAULT_PORT = 2222;

/** Jobs that services are named after. Others that end in a number (redis-1, db2) are no tasks. */
const NAMED_JOBS: readonly string[] = [PARAMETER_SERVER_JOB, WORKER_JOB, CHIEF_JOB, "master"];

/** So many services whose port was assumed are named. */
const NAMED_SERVICES = 5;

interface Service {
  readonly name: string;
  readonly definition: Json;
  /** Its command, and those of the script that it gives to a shell. */
  readonly commands: readonly Command[];
}

/**
 * Reads TF_CONFIG of the services, from their environment or their commands, else the flags --ps_hosts and --worker_hosts of
 * their commands, else --job_name and --task_index, else their names, such as worker-0 and ps1.
 *
 * @throws TensorFlowError INVALID_ARGUMENT if none of these is there, or services contradict each other.
 */
export function clusterOfCompose(file: Json): FoundCluster {
  if (!isRecord(file.services)) throw invalidArgument("The Compose file has no services.");
  const services = Object.entries(file.services).flatMap(([name, definition]): Service[] =>
    isRecord(definition) ? [{ name, definition, commands: commandsOf(definition) }] : [],
  );
  const cluster = fromTfConfig(services);
  if (cluster !== undefined) return { cluster, notes: ["Read from TF_CONFIG of the services."] };
  const byFlags = fromHostFlags(services);
  if (byFlags !== undefined)
    return { cluster: byFlags, notes: ["Read from --ps_hosts and --worker_hosts of the services."] };
  return fromServices(services);
}

function fromTfConfig(services: readonly Service[]): ClusterSpec | undefined {
  return theSame(services, "TF_CONFIG", ({ name, definition, commands }) => {
    const inCommands = commands.map((command) => assignedIn(command, "TF_CONFIG"));
    const text =
      environmentOf(definition).get("TF_CONFIG") ?? inCommands.find((value) => value !== undefined);
    return text === undefined ? undefined : clusterOfTfConfig(text, `the service ${name}`);
  });
}

function fromHostFlags(services: readonly Service[]): ClusterSpec | undefined {
  return theSame(services, "--ps_hosts and --worker_hosts", ({ name, commands }) =>
    commands
      .map((command) => clusterOfFlags(command, `the service ${name}`))
      .find((found) => found !== undefined),
  );
}

/** The cluster that each of the services tells that tells one. @throws TensorFlowError if they differ. */
function theSame(
  services: readonly Service[],
  source: string,
  read: (service: Service) => ClusterSpec | undefined,
): ClusterSpec | undefined {
  let found: { readonly service: string; readonly cluster: ClusterSpec } | undefined;
  for (const service of services) {
    const cluster = read(service);
    if (cluster === undefined || cluster.isEmpty) continue;
    if (found !== undefined && !found.cluster.equals(cluster)) {
      throw invalidArgument(
        `The services ${found.service} and ${service.name} have different clusters in ${source}. One file is read as one cluster.`,
      );
    }
    found ??= { service: service.name, cluster };
  }
  return found?.cluster;
}

/** `environment` is a mapping or a list of NAME=VALUE. */
function environmentOf({ environment }: Json): Map<string, string> {
  const entries = Array.isArray(environment)
    ? environment.flatMap((entry): [string, unknown][] => {
        const [, name, value] = typeof entry === "string" ? (/^([^=]+)=([\s\S]*)$/.exec(entry) ?? []) : [];
        return name === undefined ? [] : [[name, value]];
      })
    : Object.entries(isRecord(environment) ? environment : {});
  return new Map(
    entries.flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, unescaped(value)]] : [],
    ),
  );
}

function commandsOf({ entrypoint, command }: Json): Command[] {
  return withInnerCommands([...wordsOf(entrypoint), ...wordsOf(command)]);
}

function wordsOf(command: unknown): string[] {
  if (typeof command === "string") return splitShellWords(unescaped(command));
  return Array.isArray(command)
    ? command.filter((word): word is string => typeof word === "string").map(unescaped)
    : [];
}

/** Compose writes a dollar sign of the container as two. */
function unescaped(text: string): string {
  return text.replaceAll("$$", "$");
}

function fromServices(services: readonly Service[]): FoundCluster {
  const jobs: Record<string, Record<number, string>> = {};
  const withoutPort: string[] = [];
  for (const service of services) {
    const task = taskOf(service);
    if (task === undefined) continue;
    const earlier = jobs[task.job]?.[task.index];
    if (earlier !== undefined) {
      throw invalidArgument(
        `The services ${earlier.replace(/:\d+$/, "")} and ${service.name} are both ${task.job}/${task.index}. Give each its own index.`,
      );
    }
    const port = portOf(service.definition);
    if (port === undefined) withoutPort.push(service.name);
    const tasks = jobs[task.job] ?? {};
    tasks[task.index] = `${service.name}:${port ?? DEFAULT_PORT}`;
    jobs[task.job] = tasks;
  }
  if (Object.keys(jobs).length === 0) {
    throw invalidArgument(
      "No service of the Compose file is known as a task: none has TF_CONFIG, --ps_hosts or --worker_hosts, --job_name and " +
        `--task_index, or a name such as worker-0 (of the jobs ${NAMED_JOBS.join(", ")}).`,
    );
  }
  const notes = [
    "Read from the names of the services, their --job_name and --task_index, and the ports they expose.",
  ];
  if (withoutPort.length > 0) {
    const named = withoutPort.slice(0, NAMED_SERVICES).join(", ");
    const more =
      withoutPort.length > NAMED_SERVICES ? ` and ${withoutPort.length - NAMED_SERVICES} more` : "";
    notes.push(`Port ${DEFAULT_PORT} is assumed for ${named}${more}: the file names none.`);
  }
  return { cluster: ClusterSpec.from(jobs), notes };
}

function taskOf({ name, commands }: Service): { readonly job: string; readonly index: number } | undefined {
  for (const command of commands) {
    const job = flagOf(command, "job_name");
    const index = flagOf(command, "task_index") ?? "";
    if (job !== undefined && /^\d+$/.test(index)) return { job, index: Number(index) };
  }
  const [, job = "", index] = /^([A-Za-z][A-Za-z_]*?)[-_]?(\d+)$/.exec(name) ?? [];
  return NAMED_JOBS.includes(job) ? { job, index: Number(index) } : undefined;
}

/** The port within the containers' network: the first that is exposed or published. */
function portOf({ expose, ports }: Json): number | undefined {
  const [exposed] = Array.isArray(expose) ? expose : [];
  const [published] = Array.isArray(ports) ? ports : [];
  const inside = exposed ?? (isRecord(published) ? published.target : published);
  const [, port] = /(?:^|:)(\d+)(?:\/tcp)?$/.exec(String(inside)) ?? [];
  return port === undefined ? undefined : Number(port);
}
