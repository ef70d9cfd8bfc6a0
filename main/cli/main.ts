#!/usr/bin/env node
/** The `tensordeck` command with all its subcommands. */
import { setFlagsFromString } from "node:v8";
import { type Command, type CommandTable, runCommandLine } from "../../worker-runtime/cli/command-line.js";
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { ProblemError } from "../api/wire.js";
import { GUIDES, readGuide } from "../help/guides.js";

const applicationCommands: CommandTable = {
  agent: {
    summary: "Run Tensordeck without a window, for other machines to use; trust one; open its window.",
    load: async () => {
      keepHeapSmall();
      return presenting((await import("./agent.js")).runAgent);
    },
  },
  submit: {
    summary: "Run a Python training script as the tasks of a cluster, here or on paired machines.",
    load: async () => presenting((await import("./submit.js")).runSubmit),
  },
  export: {
    summary: "Write a cluster for Docker Compose, Kubernetes, Kubeflow, Marathon, Slurm or a shell.",
    load: async () => (await import("./export.js")).runExport,
  },
  import: {
    summary: "Read the cluster in a Docker Compose file, a TFJob or a script, as a clusterspec.json.",
    load: async () => (await import("./import.js")).runImport,
  },
  kube: {
    summary: "Deploy a cluster to Kubernetes; list, scale, reach and delete it.",
    load: async () => presenting((await import("./kube/kube.js")).runKube),
  },
  doctor: {
    summary: "Report what keeps the machines of a cluster from reaching each other.",
    load: async () => presenting((await import("./doctor.js")).runDoctor),
  },
};

/**
 * An agent idles for days on small machines and makes little garbage: a small young generation, which must be asked for
 * before the program is loaded, saves a fifth of its memory.
 */
function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=1");
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** A command whose problems are printed in full; the command line itself handles only TensorFlow's errors. */
function presenting(command: Command): Command {
  return async (args) => {
    try {
      return await command(args);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { code, message, reason, remedy, details } = error.problem;
      const codes: Readonly<Record<string, StatusCode>> = StatusCode;
      const text = [message, reason, remedy, details && `(${details})`].filter((part) => part !== undefined);
      throw new TensorFlowError(codes[code] ?? StatusCode.UNKNOWN, text.join(" "), { cause: error });
    }
  };
}

const guides = GUIDES.map(({ name, summary }) => ({ name, summary, read: () => readGuide(name) }));
await runCommandLine(process.argv.slice(2), applicationCommands, guides);
