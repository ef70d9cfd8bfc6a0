/** A cluster as a TFJob of Kubeflow's training operator, which itself writes TF_CONFIG and names the tasks. */
import { invalidArgument } from "../../protocol/status.js";
import { PARAMETER_SERVER_JOB } from "../job-names.js";
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { type JobGroup, jobGroups, mostOf, requireDense } from "./job-groups.js";
import { literalForPod, podResources } from "./pod.js";
import { gpusOf, imageOf, taskCommand } from "./task-program.js";
import { yamlText } from "./yaml-text.js";

/** The operator's types of replicas, by TensorFlow's job names. */
export const REPLICA_TYPES: Readonly<Record<string, string>> = {
  chief: "Chief",
  master: "Master",
  [PARAMETER_SERVER_JOB]: "PS",
  worker: "Worker",
  evaluator: "Evaluator",
};
/** The container that the operator configures. */
export const TFJOB_CONTAINER = "tensorflow";
/** The container port that it writes into TF_CONFIG. */
export const TFJOB_PORT_NAME = "tfjob-port";

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function tfJobExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name, namespace, run } = settings;
  const groups = jobGroups(tasks);
  requireDense(groups, "A TFJob");
  for (const { job, tasks: members } of groups) {
    if (!Object.hasOwn(REPLICA_TYPES, job)) {
      throw invalidArgument(
        `A TFJob has the jobs ${Object.keys(REPLICA_TYPES).join(", ")} only, and this cluster has '${job}'. Rename it, or export to kubernetes.`,
      );
    }
    if ((job === "chief" || job === "master") && members.length > 1) {
      throw invalidArgument(`A TFJob has one ${job}, and this cluster has ${members.length}.`);
    }
  }
  const fileName = `${name}.tfjob.yaml`;
  const replicas = groups.map((group): [string, object] => [
    REPLICA_TYPES[group.job] ?? "",
    {
      replicas: group.tasks.length,
      restartPolicy: run === "script" ? "OnFailure" : "Always",
      template: { spec: podOf(group, settings) },
    },
  ]);
  return {
    file: {
      name: fileName,
      language: "yaml",
      executable: false,
      text: yamlText(
        [`TensorFlow cluster for Kubeflow's training operator. Start it with: kubectl apply -f ${fileName}`],
        [
          {
            apiVersion: "kubeflow.org/v1",
            kind: "TFJob",
            metadata: { name, ...(namespace !== undefined && { namespace }) },
            spec: {
              runPolicy: { cleanPodPolicy: "Running" },
              tfReplicaSpecs: Object.fromEntries(replicas),
            },
          },
        ],
      ),
    },
    notes: [
      "It needs Kubeflow's training operator (version 1), which names the tasks and sets TF_CONFIG.",
      ...(tasks.length === 1 ? ["The operator sets no TF_CONFIG for a job of one task."] : []),
    ],
  };
}

function podOf(group: JobGroup, settings: ExportSettings): object {
  const { run, port } = settings;
  const gpus = mostOf(group, (task) => gpusOf(task, settings));
  const resources = podResources(settings, gpus);
  const command = taskCommand(group.tasks[0] ?? {}, settings, "container");
  return {
    containers: [
      {
        name: TFJOB_CONTAINER,
        image: imageOf(settings, gpus),
        // A worker without TF_CONFIG would take any free port.
        command: (run === "worker" ? [...command, "--port", String(port)] : command).map(literalForPod),
        ports: [{ name: TFJOB_PORT_NAME, containerPort: port }],
        ...(resources !== undefined && { resources }),
      },
    ],
  };
}
