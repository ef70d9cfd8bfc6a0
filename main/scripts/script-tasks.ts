/** The tasks of a script job, how TensorFlow knows them, and which of them end the job. */
import type { TaskName } from "../../worker-runtime/cluster/device-name.js";
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import { problem } from "../shared/problems.js";

/** The one task that coordinates the others, as TensorFlow's resolvers name its job. */
export const CHIEF_JOB = "chief";
/** Evaluates checkpoints beside the training. TensorFlow's resolvers do not count it to the cluster. */
export const EVALUATOR_JOB = "evaluator";

/** Names that other programs and papers give these jobs, with TensorFlow's. */
const otherNames = new Map([
  ["coordinator", CHIEF_JOB],
  ["master", CHIEF_JOB],
  ["parameter_server", PARAMETER_SERVER_JOB],
  ["workers", "worker"],
]);

/** Each task is a Python with TensorFlow, half a gigabyte. */
const MOST_TASKS = 64;

/**
 * The tasks of "worker:2,ps:1", in its order.
 *
 * @throws ProblemError INVALID_ARGUMENT.
 */
export function parseTasks(text: string): TaskName[] {
  const counts = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, job = "", count = ""] = /^\s*([a-z][a-z0-9_]*)\s*:\s*(\d{1,3})\s*$/i.exec(part) ?? [];
    const remedy = "Give a number of tasks for each job, as in worker:2,ps:1.";
    if (job === "" || Number(count) === 0) throw refused(`"${part.trim()}" is no job with tasks.`, remedy);
    const usual = otherNames.get(job);
    if (usual !== undefined)
      throw refused(`TensorFlow calls the job "${job}" ${usual}.`, `Write ${usual}:${count}.`);
    if (counts.has(job)) throw refused(`The job ${job} is given twice.`, remedy);
    if (job === CHIEF_JOB && Number(count) > 1) throw refused("A cluster has one chief.", "Write chief:1.");
    counts.set(job, Number(count));
  }
  const tasks = [...counts].flatMap(([job, count]) =>
    Array.from({ length: count }, (_, index) => ({ job, index })),
  );
  if (tasks.length <= MOST_TASKS) return tasks;
  throw refused(`${tasks.length} tasks are too many.`, `A script has at most ${MOST_TASKS} tasks.`);
}

function refused(message: string, remedy: string) {
  return problem("INVALID_ARGUMENT", message, { remedy });
}

/**
 * The tasks whose end is the end of the job. Parameter servers and evaluators serve the others and end with them. With
 * a chief and parameter servers (ParameterServerStrategy), workers too only serve their chief.
 */
export function leadersOf(tasks: readonly TaskName[]): TaskName[] {
  const has = (job: string) => tasks.some((task) => task.job === job);
  if (has(CHIEF_JOB) && has(PARAMETER_SERVER_JOB)) return tasks.filter(({ job }) => job === CHIEF_JOB);
  const leaders = tasks.filter(({ job }) => job !== PARAMETER_SERVER_JOB && job !== EVALUATOR_JOB);
  return leaders.length > 0 ? leaders : [...tasks];
}

/**
 * Whether a task that failed can be started again alone: a worker whose variables are on parameter servers. All others
 * share a state with the rest of the job (collectives, variables, sessions), which is started again as a whole.
 */
export function restartsAlone({ job }: TaskName, tasks: readonly TaskName[]): boolean {
  return (
    job === EVALUATOR_JOB || (job === "worker" && tasks.some((task) => task.job === PARAMETER_SERVER_JOB))
  );
}

/** Whether a task has a server that the others connect to. */
export function isInCluster({ job }: TaskName): boolean {
  return job !== EVALUATOR_JOB;
}
