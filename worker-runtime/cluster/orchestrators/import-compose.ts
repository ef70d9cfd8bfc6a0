/** The cluster that a Docker Compose file describes. */
import { invalidArgument } from "../../protocol/status.js";
import { clusterFromFlags } from "../classic.js";
import { ClusterSpec } from "../cluster-spec.js";
import { parseTfConfig } from "../tf-config.js";
import { isRecord, type Json } from "./json-values.js";
import { splitShellWords } from "./shell-words.js";

/** TensorFlow's usual port, taken where a service names none. */
const DEFAULT_PORT = 2222;

interface Service {
  readonly name: string;
  readonly definition: Json;
}

/**
 * Reads TF_CONFIG of the services, else the flags --ps_hosts and --worker_hosts of their commands, else their names, such
 * as worker-0 and ps1.
 *
 * @throws TensorFlowError INVALID_ARGUMENT if none of these is there, or services contradict each other.
 */
export function clusterOfCompose(file: Json): ClusterSpec {
  if (!isRecord(file.services)) throw invalidArgument("The Compose file has no services.");
  const services = Object.entries(file.services).flatMap(([name, definition]): Service[] =>
    isRecord(definition) ? [{ name, definition }] : [],
  );
  return fromTfConfig(services) ?? fromFlags(services) ?? fromNames(services);
}

function fromTfConfig(services: readonly Service[]): ClusterSpec | undefined {
  let found: { readonly service: string; readonly cluster: ClusterSpec } | undefined;
  for (const { name, definition } of services) {
    const text = environmentOf(definition).get("TF_CONFIG");
    if (text === undefined) continue;
    if (/(?<!\$)\$[{A-Za-z_]/.test(text)) {
      throw invalidArgument(
        `TF_CONFIG of the service ${name} contains a variable that Compose replaces. Write the value that it has, as docker compose config prints it.`,
      );
    }
    const { cluster } = parseTfConfig(text.replaceAll("$$", "$"));
    if (cluster.isEmpty) continue;
    if (found !== undefined && !found.cluster.equals(cluster)) {
      throw invalidArgument(
        `The services ${found.service} and ${name} have different clusters in TF_CONFIG. One file is read as one cluster.`,
      );
    }
    found ??= { service: name, cluster };
  }
  return found?.cluster;
}

/** `environment` is a mapping or a list of NAME=VALUE. */
function environmentOf({ environment }: Json): Map<string, string> {
  if (Array.isArray(environment)) {
    return new Map(
      environment.flatMap((entry): [string, string][] => {
        const [, name, value] = typeof entry === "string" ? (/^([^=]+)=([\s\S]*)$/.exec(entry) ?? []) : [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      }),
    );
  }
  if (!isRecord(environment)) return new Map();
  return new Map(
    Object.entries(environment).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

function fromFlags(services: readonly Service[]): ClusterSpec | undefined {
  for (const { definition } of services) {
    const words = [...wordsOf(definition.entrypoint), ...wordsOf(definition.command)];
    const psHosts = flagOf(words, "ps_hosts");
    const workerHosts = flagOf(words, "worker_hosts");
    if (psHosts !== undefined || workerHosts !== undefined) {
      return clusterFromFlags({ psHosts, workerHosts });
    }
  }
  return undefined;
}

function wordsOf(command: unknown): string[] {
  if (typeof command === "string") return splitShellWords(command);
  return Array.isArray(command) ? command.filter((word): word is string => typeof word === "string") : [];
}

function flagOf(words: readonly string[], name: string): string | undefined {
  for (const [position, word] of words.entries()) {
    const [, flag, value] = /^--?([\w-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (flag?.replaceAll("-", "_") === name) return value ?? words[position + 1];
  }
  return undefined;
}

function fromNames(services: readonly Service[]): ClusterSpec {
  const jobs: Record<string, Record<number, string>> = {};
  for (const { name, definition } of services) {
    const [, job, index] = /^([A-Za-z][A-Za-z_]*?)[-_]?(\d+)$/.exec(name) ?? [];
    if (job === undefined || index === undefined) continue;
    jobs[job] = { ...jobs[job], [Number(index)]: `${name}:${portOf(definition)}` };
  }
  if (Object.keys(jobs).length === 0) {
    throw invalidArgument(
      "No service of the Compose file is known as a task: none has TF_CONFIG, --worker_hosts or --ps_hosts, or a name such as worker-0.",
    );
  }
  return ClusterSpec.from(jobs);
}

/** The port within the containers' network: the first that is exposed or published. */
function portOf({ expose, ports }: Json): number {
  const [exposed] = Array.isArray(expose) ? expose : [];
  const [published] = Array.isArray(ports) ? ports : [];
  const inside = exposed ?? (isRecord(published) ? published.target : published);
  const [, port] = /(?:^|:)(\d+)(?:\/tcp)?$/.exec(String(inside)) ?? [];
  return port === undefined ? DEFAULT_PORT : Number(port);
}
