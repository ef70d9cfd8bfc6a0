/** The options of exports: which target takes which, their checks, and their values. */
import { invalidArgument } from "../../protocol/status.js";
import { EXPORT_TARGETS, type ExportTarget } from "./export-targets.js";
import { splitShellWords } from "./shell-words.js";

/** worker: `tensordeck worker`. server: TensorFlow's own tf.distribute.Server. script: a training script in Python. */
export const PROGRAMS = ["worker", "server", "script"] as const;
export type Program = (typeof PROGRAMS)[number];

export type OptionName =
  | "name"
  | "run"
  | "script"
  | "image"
  | "python"
  | "engine"
  | "port"
  | "cpus"
  | "memory"
  | "gpus"
  | "publish"
  | "namespace"
  | "network_policy"
  | "partition"
  | "account"
  | "time";

export interface ExportOption {
  readonly name: OptionName;
  readonly targets: readonly ExportTarget[];
  /** How the value is called in the help: "NAME". */
  readonly value: string;
  /** Absent: any text that passes the check. */
  readonly choices?: readonly string[];
  /** Used when nothing is given; absent: the option is left out then. */
  readonly byDefault?: string;
  /** The same where it depends on the other options. */
  defaultFor?(values: OptionValues): string | undefined;
  /** One sentence, for the help of the command line. */
  readonly help: string;
  /** The fault of a text that is not empty, as the rest of a sentence that begins with the option. */
  problem(text: string): string | undefined;
}

/** The given texts, by option; empty counts as not given. */
export type OptionValues = Readonly<Partial<Record<OptionName, string>>>;

/** All options with their values. Those that a target does not take have their defaults. */
export interface ExportSettings {
  readonly name: string;
  readonly run: Program;
  /** The script and its arguments. */
  readonly script: readonly string[];
  /** Absent: the one that belongs to the program. */
  readonly image: string | undefined;
  readonly python: string;
  readonly engine: "tensorflow" | "portable" | undefined;
  readonly port: number;
  readonly cpus: number | undefined;
  readonly memoryMib: number | undefined;
  /** The GPUs of each task that is no ps; as the cluster says unless given. */
  readonly gpus: number | undefined;
  readonly publish: boolean;
  readonly namespace: string | undefined;
  readonly networkPolicy: boolean;
  readonly partition: string | undefined;
  readonly account: string | undefined;
  readonly time: string | undefined;
}

const MAX_NAME_LENGTH = 40;
const MIB_PER_UNIT: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024, Ti: 1024 ** 2 };
const YES_NO = ["yes", "no"];
/** Targets whose tasks run in containers. */
const CONTAINERS: readonly ExportTarget[] = ["compose", "kubernetes", "tfjob", "marathon"];

/** TensorFlow's image with the tag that was current when Tensordeck was tested with it. */
export function tensorflowImage(forGpu: boolean): string {
  return `tensorflow/tensorflow:2.21.0${forGpu ? "-gpu" : ""}`;
}

function matching(pattern: RegExp, problem: string): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? undefined : problem);
}

function wholeNumber(min: number, max: number): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

function oneOf(choices: readonly string[]): (text: string) => string | undefined {
  return (text) =>
    choices.includes(text)
      ? undefined
      : `must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}, not "${text}"`;
}

const DNS_LABEL = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const dnsLabel = (text: string) =>
  DNS_LABEL.test(text) && text.length <= MAX_NAME_LENGTH
    ? undefined
    : `must be at most ${MAX_NAME_LENGTH} lower-case letters, digits and dashes, and begin with a letter`;
const slurmName = matching(/^[\w.,+-]+$/, "must consist of letters, digits and . , _ + -");

/** All options, in the order in which they are shown. */
export const EXPORT_OPTIONS: readonly ExportOption[] = [
  {
    name: "name",
    targets: EXPORT_TARGETS,
    value: "NAME",
    byDefault: "tensordeck",
    help: "Name of what is written, and the beginning of the names in it.",
    problem: dnsLabel,
  },
  {
    name: "run",
    targets: EXPORT_TARGETS,
    value: "PROGRAM",
    choices: PROGRAMS,
    byDefault: "worker",
    help: "What each task runs: worker (tensordeck worker), server (TensorFlow's own), or script.",
    problem: oneOf(PROGRAMS),
  },
  {
    name: "script",
    targets: EXPORT_TARGETS,
    value: '"FILE ARGS"',
    help: "With --run script: the training script, as the task finds it, and its arguments. It gets TF_CONFIG.",
    problem: (text) => {
      try {
        return splitShellWords(text).length > 0 ? undefined : "must name a file";
      } catch {
        return "has a quote that is not closed";
      }
    },
  },
  {
    name: "image",
    targets: CONTAINERS,
    value: "IMAGE",
    defaultFor: ({ run, gpus }) =>
      run === "server" || run === "script" ? tensorflowImage(Number(gpus) > 0) : undefined,
    help: "The container image. A worker needs one that has the command tensordeck; otherwise TensorFlow's own is the default.",
    problem: matching(
      /^[a-z0-9][\w./:@-]*$/,
      "must be the name of an image, such as tensorflow/tensorflow:2.21.0",
    ),
  },
  {
    name: "python",
    targets: EXPORT_TARGETS,
    value: "PYTHON",
    byDefault: "python3",
    help: "The Python of a server or script.",
    problem: matching(/^[\w./+-]+$/, "must be the name or path of a program"),
  },
  {
    name: "engine",
    targets: EXPORT_TARGETS,
    value: "ENGINE",
    choices: ["tensorflow", "portable"],
    help: "The engine of Tensordeck's workers (default: as the cluster says, or whichever the task finds).",
    problem: oneOf(["tensorflow", "portable"]),
  },
  {
    name: "port",
    targets: ["compose", "kubernetes", "tfjob", "slurm"],
    value: "PORT",
    byDefault: "2222",
    help: "Port of the tasks. On Slurm the first one; tasks of one machine need ports of their own.",
    problem: wholeNumber(1024, 65_000),
  },
  {
    name: "cpus",
    targets: [...CONTAINERS, "slurm"],
    value: "N",
    help: "Processor cores for each task; a fraction such as 0.5 except on Slurm.",
    problem: matching(/^(?=.*[1-9])\d{1,4}(?:\.\d{1,3})?$/, "must be a number above 0, such as 2 or 0.5"),
  },
  {
    name: "memory",
    targets: [...CONTAINERS, "slurm"],
    value: "SIZE",
    help: "Memory for each task, such as 512Mi or 4Gi.",
    problem: matching(/^[1-9]\d{0,5}(?:Mi|Gi|Ti)$/, "must be a size with its unit, such as 512Mi or 4Gi"),
  },
  {
    name: "gpus",
    targets: EXPORT_TARGETS,
    value: "N",
    help: "GPUs for each task except those of job ps (default: as the cluster says, or none).",
    problem: wholeNumber(0, 64),
  },
  {
    name: "publish",
    targets: ["compose"],
    value: "yes|no",
    choices: YES_NO,
    byDefault: "no",
    help: "Whether programs outside of the containers reach the tasks, on 127.0.0.1 of this machine.",
    problem: oneOf(YES_NO),
  },
  {
    name: "namespace",
    targets: ["kubernetes", "tfjob"],
    value: "NAMESPACE",
    help: "The namespace (default: the one that kubectl uses).",
    problem: dnsLabel,
  },
  {
    name: "network_policy",
    targets: ["kubernetes"],
    value: "yes|no",
    choices: YES_NO,
    byDefault: "yes",
    help: "Whether only the tasks themselves and labelled clients may connect.",
    problem: oneOf(YES_NO),
  },
  {
    name: "partition",
    targets: ["slurm"],
    value: "PARTITION",
    help: "Slurm's partition.",
    problem: slurmName,
  },
  { name: "account", targets: ["slurm"], value: "ACCOUNT", help: "Slurm's account.", problem: slurmName },
  {
    name: "time",
    targets: ["slurm"],
    value: "TIME",
    help: "Slurm's time limit: minutes, hours:minutes:seconds or days-hours.",
    problem: matching(
      /^(?:\d+|\d+:\d{2}(?::\d{2})?|\d+-\d{1,2}(?::\d{2}){0,2})$/,
      "must be minutes, hours:minutes:seconds or days-hours, such as 90, 1:30:00 or 2-12",
    ),
  },
];

/** The options that a target takes. */
export function optionsOf(target: ExportTarget): ExportOption[] {
  return EXPORT_OPTIONS.filter(({ targets }) => targets.includes(target));
}

/** True for an option that matters with these values: those of a script or of a container depend on what runs. */
export function applies(option: ExportOption, values: OptionValues): boolean {
  const run = values.run || "worker";
  if (option.name === "script") return run === "script";
  if (option.name === "python") return run !== "worker";
  if (option.name === "engine") return run === "worker";
  return true;
}

/** The faults of the values, by option, as whole sentences without the option's name in front. */
export function optionProblems(
  target: ExportTarget,
  values: OptionValues,
): Readonly<Partial<Record<OptionName, string>>> {
  const problems: Partial<Record<OptionName, string>> = {};
  for (const option of optionsOf(target).filter((candidate) => applies(candidate, values))) {
    const text = values[option.name] ?? "";
    const problem = text === "" ? undefined : option.problem(text);
    if (problem !== undefined) problems[option.name] = problem;
    else if (option.name === "script" && text === "")
      problems.script = "must name the script that the tasks run";
    else if (option.name === "image" && text === "" && (values.run || "worker") === "worker") {
      problems.image =
        "must name an image that has the command tensordeck: no registry has one. Or choose server to run TensorFlow's own";
    } else if (option.name === "cpus" && target === "slurm" && text.includes(".")) {
      problems.cpus = "must be a whole number: Slurm gives out whole cores";
    } else if (option.name === "run" && target === "kubernetes" && text === "script") {
      problems.run =
        "cannot be script: a StatefulSet starts again what has ended. Export a training script as a TFJob";
    }
  }
  return problems;
}

/**
 * Reads the values.
 * @throws TensorFlowError INVALID_ARGUMENT that names the first invalid option, or one that the target does not take.
 */
export function readOptions(target: ExportTarget, values: OptionValues): ExportSettings {
  const taken = new Set(optionsOf(target).map(({ name }) => name));
  for (const { name } of EXPORT_OPTIONS) {
    if ((values[name] ?? "") !== "" && !taken.has(name)) {
      throw invalidArgument(
        `--${name} does not belong to ${target}, which takes --${[...taken].join(", --")}.`,
      );
    }
  }
  const [wrong] = Object.entries(optionProblems(target, values));
  if (wrong) throw invalidArgument(`--${wrong[0]} ${wrong[1]}.`);
  const given = (name: OptionName): string | undefined =>
    values[name] || EXPORT_OPTIONS.find((option) => option.name === name)?.byDefault;
  const numberOf = (name: OptionName) => (given(name) === undefined ? undefined : Number(given(name)));
  const run = PROGRAMS.find((program) => program === given("run")) ?? "worker";
  const engine = given("engine");
  return {
    name: given("name") ?? "",
    run,
    script: run === "script" ? splitShellWords(given("script") ?? "") : [],
    image: given("image"),
    python: given("python") ?? "",
    engine: engine === "tensorflow" || engine === "portable" ? engine : undefined,
    port: Number(given("port")),
    cpus: numberOf("cpus"),
    memoryMib: mebibytes(given("memory")),
    gpus: numberOf("gpus"),
    publish: given("publish") === "yes",
    namespace: given("namespace"),
    networkPolicy: given("network_policy") === "yes",
    partition: given("partition"),
    account: given("account"),
    time: given("time"),
  };
}

function mebibytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number.parseInt(text, 10) * (MIB_PER_UNIT[text.slice(-2)] ?? 1);
}
