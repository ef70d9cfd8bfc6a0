/** The program that a task runs, in every export. */
import type { ExportTask } from "./export-model.js";
import { type ExportSettings, tensorflowImage } from "./export-options.js";

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

/** Where tasks run: in a container with an image, or as programs of a machine. */
export type Surroundings = "container" | "machine";

/** The command of a task, word by word. It finds the cluster and its own place in TF_CONFIG. */
export function taskCommand(
  task: Pick<ExportTask, "engine">,
  settings: ExportSettings,
  surroundings: Surroundings,
): string[] {
  const { run, python, script } = settings;
  if (run === "script") return [python, ...script];
  if (run === "server") return [python, "-c", SERVER_LINES.join("; ")];
  const inContainer = surroundings === "container";
  // An image with libtensorflow is asked for by name.
  const engine = settings.engine ?? task.engine ?? (inContainer ? "portable" : undefined);
  return [
    ...["tensordeck", "worker"],
    // Its name leads to it through the names of the container network, which may know it only once it runs.
    "--skip_address_check",
    ...(engine === undefined ? [] : ["--engine", engine]),
    // As TensorFlow's server does by itself: health checks and forwarded ports come by the container's loopback.
    ...(inContainer && engine === "portable" ? ["--bind", "0.0.0.0"] : []),
  ];
}

/**
 * The command that tells whether a task's server answers, for those that run Tensordeck; for others an open port has to
 * do.
 */
export function healthCommand({ run, port }: ExportSettings): string[] | undefined {
  return run === "worker" ? ["tensordeck", "health", `localhost:${port}`] : undefined;
}

/** The container image; that of a worker is always given. */
export function imageOf({ image }: Pick<ExportSettings, "image">, gpus: number): string {
  return image ?? tensorflowImage(gpus > 0);
}
