/** `tensordeck kube`: clusters in Kubernetes, for a terminal. */
import { once as firstOf } from "node:events";
import { type CommandSpec, helpText, type ParsedArgs, parseArgs } from "../../../worker-runtime/cli/args.js";
import { readGivenText } from "../../../worker-runtime/cli/cluster-file.js";
import { runCommand } from "../../../worker-runtime/cli/run.js";
import { PARAMETER_SERVER_JOB } from "../../../worker-runtime/cluster/job-names.js";
import { tasksOfCluster } from "../../../worker-runtime/cluster/orchestrators/export-model.js";
import { importCluster } from "../../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { invalidArgument } from "../../../worker-runtime/protocol/status.js";
import type { KubernetesState } from "../../api/kubernetes.js";
import type { Problem } from "../../api/problem.js";
import { deployedTasks, nameOf, readDeployedCluster } from "../../kubernetes/deployed-cluster.js";
import { KubernetesService } from "../../kubernetes/kubernetes-service.js";
import type { PodTask } from "../../kubernetes/pod-task.js";
import { problem } from "../../shared/problems.js";
import { exportFlags, exportValues } from "../export-flags.js";
import { statusTable } from "./status-table.js";

const ACTIONS = ["contexts", "deploy", "status", "scale", "delete", "log", "forward", "run"] as const;
type Action = (typeof ACTIONS)[number];

const kubeCommand: CommandSpec = {
  name: "tensordeck kube",
  summary:
    "Deploys a cluster to Kubernetes, and lists, scales, reaches and deletes what was deployed; runs graphs there.",
  positionals: "ACTION … [-- ARGUMENTS]",
  flags: [
    {
      name: "kubeconfig",
      value: "FILE",
      help: "Default: as kubectl finds it, by $KUBECONFIG or as ~/.kube/config.",
    },
    { name: "context", value: "NAME", help: "A context of the kubeconfig. Default: the current one." },
    { name: "force", help: "With deploy: take over fields that another program manages." },
    { name: "follow", short: "f", help: "With log: follow the output." },
    { name: "tail", value: "N", help: "With log: the number of newest lines. Default: 100." },
    { name: "previous", help: "With log: the output of the container before its last restart." },
    ...exportFlags(["kubernetes"]),
  ],
  notes: `
actions:
  contexts              the contexts of the kubeconfig
  deploy CLUSTER        creates the cluster of a file, or changes it; the file is any that tensordeck export takes
  status                the clusters, with the state of their tasks
  scale NAME JOB N      gives a job another number of tasks; all tasks restart and lose their variables
  delete NAME           deletes a cluster
  log POD               a task's log
  forward NAME          addresses on this machine for all tasks, until it is interrupted
  run NAME -- GRAPH …   runs a graph on the cluster's tasks, with the flags of tensordeck run

examples:
  tensordeck kube deploy clusterspec.json --run server --name lab --memory 4Gi
  tensordeck kube scale lab worker 4
  tensordeck kube forward lab
  tensordeck kube run lab -- graph.pbtxt --fetch z:0 --steps 100`,
};

/** Runs the command and gives the exit code. @throws ProblemError, TensorFlowError */
export async function runKube(args: readonly string[]): Promise<number> {
  const parsed = parseArgs(kubeCommand, args);
  if (parsed.has("help")) {
    process.stdout.write(helpText(kubeCommand));
    return 0;
  }
  const [name = "", ...operands] = parsed.positionals;
  const action = ACTIONS.find((candidate) => candidate === name);
  if (action === undefined) {
    throw invalidArgument(
      `${name === "" ? "Specify an action" : `There is no action "${name}"`}: tensordeck kube ${ACTIONS.join("|")}.`,
    );
  }
  if (action !== "run") checkOperands(action, operands);
  else if (operands.length < 2) throw invalidArgument("Write it as: tensordeck kube run NAME -- GRAPH ….");
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(problem("CANCELLED", "The command was interrupted."));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  const service = new KubernetesService();
  try {
    if (action === "contexts") {
      for (const { name: context, server, current } of await service.contexts(parsed.get("kubeconfig"))) {
        print(`${current ? "*" : " "} ${context}  ${server}`);
      }
      return 0;
    }
    await service.connect(
      {
        kubeconfig: parsed.get("kubeconfig"),
        context: parsed.get("context"),
        namespace: parsed.get("namespace"),
      },
      interrupted.signal,
    );
    return await WORK[action]({ service, operands, parsed, signal: interrupted.signal });
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    await service.dispose();
  }
}

const OPERANDS: Readonly<Record<Action, readonly string[]>> = {
  contexts: [],
  deploy: ["CLUSTER"],
  status: [],
  scale: ["NAME", "JOB", "N"],
  delete: ["NAME"],
  log: ["POD"],
  forward: ["NAME"],
  run: ["NAME", "GRAPH"],
};

function checkOperands(action: Action, operands: readonly string[]): void {
  const wanted = OPERANDS[action];
  if (operands.length === wanted.length) return;
  throw invalidArgument(`Write it as: tensordeck kube ${[action, ...wanted].join(" ")}.`);
}

interface Work {
  readonly service: KubernetesService;
  readonly operands: readonly string[];
  readonly parsed: ParsedArgs;
  readonly signal: AbortSignal;
}

const WORK: Readonly<Record<Exclude<Action, "contexts">, (work: Work) => Promise<number>>> = {
  deploy: async ({ service, operands: [file = ""], parsed, signal }) => {
    const { cluster } = importCluster(await readGivenText(file, "CLUSTER"), file);
    const deployed = readDeployedCluster({
      tasks: deployedTasks(tasksOfCluster(cluster)),
      options: exportValues(parsed),
    });
    await service.deploy(deployed, { force: parsed.has("force"), signal });
    const { namespace } = service.state().connection ?? {};
    print(`${nameOf(deployed)}: ${deployed.tasks.length} tasks in namespace ${namespace}`);
    return 0;
  },
  status: async ({ service }) => {
    print(statusTable(service.state()));
    return 0;
  },
  scale: async ({ service, operands: [name = "", job = "", count = ""] }) => {
    await service.scale(name, job, Number(count));
    print(`${name}: job ${job} has ${count} tasks; all tasks restart`);
    return 0;
  },
  delete: async ({ service, operands: [name = ""] }) => {
    await service.remove(name);
    print(`${name} is deleted`);
    return 0;
  },
  log: async ({ service, operands: [pod = ""], parsed, signal }) => {
    const lines = service.log(pod, {
      follow: parsed.has("follow"),
      previous: parsed.has("previous"),
      tailLines: parsed.integer("tail", 1, 1_000_000) ?? 100,
      signal,
    });
    for await (const { text } of lines) print(text);
    return 0;
  },
  forward: async ({ service, operands: [name = ""], signal }) => {
    for (const { pod, job, index } of tasksOf(service, name)) {
      print(`${job}/${index}  ${await service.forward(pod)}  ${pod}`);
    }
    let told: Problem | undefined;
    service.onState(({ clusters }) => {
      const failed = clusters.flatMap((cluster) => cluster.tasks).find((task) => task.forwardProblem);
      if (failed?.forwardProblem && failed.forwardProblem !== told) {
        told = failed.forwardProblem;
        process.stderr.write(`${told.message} ${told.details ?? told.reason ?? ""}\n`);
      }
    });
    if (!signal.aborted) await firstOf(signal, "abort");
    return 0;
  },
  run: async ({ service, operands: [name = "", ...args] }) => {
    const running = tasksOf(service, name).filter(({ state }) => state === "running");
    const master = running.find(({ job }) => job !== PARAMETER_SERVER_JOB) ?? running[0];
    if (master === undefined) {
      throw problem("UNAVAILABLE", `No task of ${name} is running.`, {
        remedy: "See tensordeck kube status.",
      });
    }
    const target = await service.forward(master.pod);
    process.stderr.write(`${master.job}/${master.index} of ${name}: target ${target}\n`);
    return await runCommand([...args, "--target", target]);
  },
};

/** @throws ProblemError NOT_FOUND for a cluster without tasks */
function tasksOf(service: KubernetesService, name: string): PodTask[] {
  const tasks = service.tasks().filter(({ cluster }) => cluster === name);
  if (tasks.length > 0) return tasks;
  throw problem("NOT_FOUND", `There is no task of a cluster ${name}.`, {
    remedy: `The clusters are: ${clusterNames(service.state())}.`,
  });
}

function clusterNames({ clusters }: KubernetesState): string {
  return clusters.length === 0 ? "none" : clusters.map(({ name }) => name).join(", ");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
