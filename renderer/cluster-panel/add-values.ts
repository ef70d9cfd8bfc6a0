/** The values of the form that adds tasks, and the request made from them. */
import {
  type AddTasks,
  type Engine,
  type GpuChoice,
  jobNameSchema,
  type Machine,
  type Task,
} from "../../main/api/cluster.js";
import { texts } from "../texts/texts.js";

const words = texts.clusterPanel.addValues;

export const MOST_AT_ONCE = 16;
const LARGEST_INDEX = 9999;

export interface AddValues {
  readonly machineId: string | undefined;
  readonly job: string;
  readonly count: string;
  /** Empty: the lowest that are free. */
  readonly index: string;
  /** Undefined: the machine's best. */
  readonly engine: Engine | undefined;
  readonly gpu: GpuChoice;
}

/** One message a field, in words; a field that is right has none. */
export interface AddErrors {
  readonly job?: string;
  readonly count?: string;
  readonly index?: string;
  readonly gpu?: string;
}

/** The lowest free indices of a job; the application chooses the same. */
export function freeIndices(tasks: readonly Task[], job: string, count: number): number[] {
  const taken = new Set(tasks.filter((task) => task.job === job).map(({ index }) => index));
  const free: number[] = [];
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index);
  return free;
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** Validates a form; the request is present only if all values are valid. */
export function checkAdd(
  values: AddValues,
  tasks: readonly Task[],
  machine: Machine | undefined,
): { readonly errors: AddErrors; readonly request?: AddTasks } {
  const job = jobNameSchema.safeParse(values.job.trim());
  const count = wholeNumber(values.count, 1, MOST_AT_ONCE);
  const given = values.index.trim() !== "";
  const index = given ? wholeNumber(values.index, 0, LARGEST_INDEX) : undefined;
  const taken =
    index !== undefined && tasks.some((task) => task.job === values.job.trim() && task.index === index);
  const { gpu } = values;
  const unknownGpus = Array.isArray(gpu)
    ? gpu.filter((wanted) => !machine?.gpus.some((one) => one.index === wanted))
    : [];
  const errors: AddErrors = {
    ...(job.success ? {} : { job: words.job }),
    ...(count === undefined ? { count: words.count({ most: MOST_AT_ONCE }) } : {}),
    ...(given && index === undefined ? { index: words.index } : {}),
    ...(taken ? { index: words.exists({ task: `${values.job.trim()}/${index}` }) } : {}),
    ...(Array.isArray(gpu) && (gpu.length === 0 || unknownGpus.length > 0) ? { gpu: words.gpu } : {}),
  };
  if (!job.success || count === undefined || Object.keys(errors).length > 0) return { errors };
  const request: AddTasks = {
    job: job.data,
    count,
    ...(values.machineId === undefined ? {} : { machineId: values.machineId }),
    ...(index === undefined ? {} : { index }),
    ...(values.engine === undefined ? {} : { engine: values.engine }),
    ...(gpu === "auto" ? {} : { gpu }),
  };
  return { errors, request };
}
