/** Clusters in shell scripts and in the commands of containers: TF_CONFIG, or --ps_hosts and --worker_hosts. */
import { invalidArgument } from "../../protocol/status.js";
import { clusterFromFlags } from "../classic.js";
import type { ClusterSpec } from "../cluster-spec.js";
import { parseTfConfig } from "../tf-config.js";
import { shellCommands } from "./shell-words.js";

/** A command as its words. */
export type Command = readonly string[];

/** A shell as a program's name, and the option that gives it a script. */
const SHELL = /(?:^|\/)(?:ba|da|a|z|k)?sh$/;
const SCRIPT_OPTION = /^-[a-z]*c$/;

/** Words before the assignments of a command. */
const BEFORE_ASSIGNMENTS = new Set(["export", "env", "exec", "declare", "-x", "then", "do", "else"]);

/** A command, and those of the script that it gives to a shell, as in `sh -c "…"`. */
export function withInnerCommands(command: Command): Command[] {
  const option = command.findIndex(
    (word, at) => SCRIPT_OPTION.test(word) && SHELL.test(command[at - 1] ?? ""),
  );
  const script = option < 0 ? undefined : command[option + 1];
  return script === undefined ? [command] : [command, ...shellCommands(script).flatMap(withInnerCommands)];
}

/** The value that a command gives to a variable: NAME=VALUE before its program, or after `export`. */
export function assignedIn(command: Command, variable: string): string | undefined {
  for (const word of command) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
    if (name === variable) return value;
    if (name === undefined && !BEFORE_ASSIGNMENTS.has(word)) return undefined;
  }
  return undefined;
}

/** The value of a flag, in any of the forms that absl and argparse read; undefined if the command does not have it. */
export function flagOf(command: Command, name: string): string | undefined {
  for (const [position, word] of command.entries()) {
    const [, flag, value] = /^--?([\w-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (flag?.replaceAll("-", "_") === name) return value ?? command[position + 1];
  }
  return undefined;
}

/**
 * The cluster in a command's --ps_hosts and --worker_hosts; undefined if it has neither.
 * @param where the command stands, for errors.
 * @throws TensorFlowError INVALID_ARGUMENT if they have variables.
 */
export function clusterOfFlags(command: Command, where: string): ClusterSpec | undefined {
  const psHosts = flagOf(command, "ps_hosts");
  const workerHosts = flagOf(command, "worker_hosts");
  if (psHosts === undefined && workerHosts === undefined) return undefined;
  refuseVariables(`${psHosts ?? ""}${workerHosts ?? ""}`, `A flag of ${where}`);
  return clusterFromFlags({ psHosts, workerHosts });
}

/** The cluster in the value of a TF_CONFIG. @throws TensorFlowError INVALID_ARGUMENT if it has variables. */
export function clusterOfTfConfig(value: string, where: string): ClusterSpec {
  refuseVariables(value, `TF_CONFIG of ${where}`);
  return parseTfConfig(value).cluster;
}

function refuseVariables(text: string, whose: string): void {
  const [variable] = /\$(?:\w+|\{[^}]*\}|\()/.exec(text) ?? [];
  if (variable === undefined) return;
  throw invalidArgument(
    `${whose} contains the variable ${variable}. Write the value that it has; docker compose config prints those that Compose replaces.`,
  );
}

/**
 * The cluster of the TF_CONFIG that a script sets, once or for several tasks, or of `cluster` as our export has it;
 * undefined if it sets none, or is no shell script.
 * @throws TensorFlowError INVALID_ARGUMENT if it sets several clusters, or one with variables.
 */
export function clusterOfTfConfigScript(text: string): ClusterSpec | undefined {
  const commands = commandsOf(text);
  const ofExport = commands.map((command) => assignedIn(command, "cluster")).find(isJsonObject);
  if (ofExport !== undefined) return parseTfConfig(`{"cluster": ${ofExport}}`).cluster;
  const values = commands.map((command) => assignedIn(command, "TF_CONFIG")).filter(isJsonObject);
  return theOne(
    values.map((value) => clusterOfTfConfig(value, "the script")),
    "The script sets TF_CONFIG for several clusters. Keep the lines of one.",
  );
}

/** The cluster of the flags --ps_hosts and --worker_hosts in a script; undefined if no command has them. */
export function clusterOfFlagsScript(text: string): ClusterSpec | undefined {
  const found = commandsOf(text).map((command) => clusterOfFlags(command, "the script"));
  return theOne(
    found.filter((cluster) => cluster !== undefined),
    "The script starts tasks of several clusters. Keep the lines of one.",
  );
}

/** The commands of a text; none where it cannot be a shell's. */
function commandsOf(text: string): Command[] {
  try {
    return shellCommands(text).flatMap(withInnerCommands);
  } catch {
    return [];
  }
}

function isJsonObject(value: string | undefined): value is string {
  return value?.startsWith("{") ?? false;
}

function theOne(clusters: readonly ClusterSpec[], several: string): ClusterSpec | undefined {
  const [first, ...others] = clusters.filter((cluster) => !cluster.isEmpty);
  if (others.some((other) => !first?.equals(other))) throw invalidArgument(several);
  return first;
}
