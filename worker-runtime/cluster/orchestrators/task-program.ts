/** What a task runs, in every export. */
import type { ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";

/** The tag of TensorFlow's images that was current when Tensordeck was tested with it. */
const TENSORFLOW_IMAGE = "tensorflow/tensorflow:2.21.0";

/** A server of TensorFlow's for the task that TF_CONFIG names. */
const SERVER_LINES = [
  "import tensorflow as tf",
  "r = tf.distribute.cluster_resolver.TFConfigClusterResolver()",
  "tf.distribute.Server(r.cluster_spec(), job_name=r.task_type, task_index=r.task_id, protocol='grpc').join()",
];

/** Number of GPUs of a task: an explicit number is for all jobs but ps, whose tasks hold variables. */
export function gpusOf(task: ExportTask, { gpus }: ExportSettings): number {
  if (gpus === undefined) return task.gpus ?? 0;
  return task.job === "ps" ? 0 : gpus;
}

/** The command of a task, word by word. It finds the cluster and its own place in TF_CONFIG. */
export function taskCommand(task: Pick<ExportTask, "engine">, settings: ExportSettings): string[] {
  const { run, python, script } = settings;
  if (run === "script") return [python, ...script];
  if (run === "server") return [python, "-c", SERVER_LINES.join("; ")];
  const engine = settings.engine ?? task.engine;
  // Its name leads to it through the names of the container network, which may know it only once it runs.
  return [
    "tensordeck",
    "worker",
    "--skip_address_check",
    ...(engine === undefined ? [] : ["--engine", engine]),
  ];
}

/**
 * The command that tells whether a task's server answers, for those that run Tensordeck; for others an open port has to
 * do.
 */
export function healthCommand({ run, port }: ExportSettings): string[] | undefined {
  return run === "worker" ? ["tensordeck", "health", `localhost:${port}`] : undefined;
}

/** The container image. @param version Tensordeck's. */
export function imageOf(settings: ExportSettings, gpus: number, version: string): string {
  if (settings.image !== undefined) return settings.image;
  if (settings.run === "worker") return `tensordeck:${version}`;
  return gpus > 0 ? `${TENSORFLOW_IMAGE}-gpu` : TENSORFLOW_IMAGE;
}

/** Says how to get an image that no registry has. */
export function imageNotes(settings: ExportSettings, version: string): string[] {
  if (settings.image !== undefined || settings.run !== "worker") return [];
  return [
    `The image tensordeck:${version} is built from a clone of Tensordeck with: docker build -t tensordeck:${version} .`,
  ];
}
