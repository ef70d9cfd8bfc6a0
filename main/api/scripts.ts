/** Python scripts that run as tasks, here and on paired machines. */
import { z } from "zod";
import { jobNameSchema, logLineSchema } from "./cluster.js";
import { deviceIdSchema } from "./machines.js";
import { method, nothing } from "./method.js";
import { problemSchema } from "./problem.js";
import { scalarCurveSchema, scalarSummarySchema } from "./run-history.js";

/** Tasks of one job, each of which is a Python with TensorFlow. */
export const MOST_SCRIPT_TASKS = 64;

const pathSchema = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0"));

/** "cpu": no GPU. A number: the GPU that nvidia-smi numbers so. */
export const scriptDeviceSchema = z.union([z.literal("cpu"), z.number().int().min(0).max(255)]);

export const scriptTaskSchema = z.object({
  job: jobNameSchema.max(64),
  index: z
    .number()
    .int()
    .min(0)
    .max(MOST_SCRIPT_TASKS - 1),
  /** Left out: this machine. */
  machineId: deviceIdSchema.optional(),
  /** Left out: a GPU of its machine, if there is one and it is no ps. */
  device: scriptDeviceSchema.optional(),
});
export type ScriptTask = z.infer<typeof scriptTaskSchema>;

export const scriptLocationSchema = z.object({
  /** The script, absolute. */
  path: pathSchema,
  /** The folder that is sent, and in which it runs; left out: that of the script. */
  folder: pathSchema.optional(),
  /** A Python or a virtual environment, the same on every machine; left out: what each has for the script. */
  python: pathSchema.optional(),
});
export type ScriptLocation = z.infer<typeof scriptLocationSchema>;

const podOptionSchema = z.string().min(1).max(300).optional();

/** As the options of exports to Kubernetes. */
export const scriptPodSchema = z.object({
  image: podOptionSchema,
  cpus: podOptionSchema,
  memory: podOptionSchema,
  gpus: podOptionSchema,
});
export type ScriptPodRequest = z.infer<typeof scriptPodSchema>;

export const scriptRequestSchema = scriptLocationSchema.extend({
  args: z.array(z.string().max(32_768)).max(1000),
  tasks: z.array(scriptTaskSchema).min(1).max(MOST_SCRIPT_TASKS),
  /** How often failed tasks are started again, altogether; 0: the first failure ends all. */
  restarts: z.number().int().min(0).max(1000),
  /** Whether the script takes its cluster from flags, besides TF_CONFIG. */
  passFlags: z.boolean(),
  /** Whether its tasks may use the network. */
  network: z.boolean(),
  /** Whether curves are drawn from its event files. */
  scalars: z.boolean(),
  /** Left out: everything that tasks elsewhere write comes back. A folder: what they write there. False: nothing. */
  outputs: z.union([z.literal(false), z.string().max(1024)]).optional(),
  /** All tasks run in the namespace of Kubernetes that is connected; what each of them gets. */
  kubernetes: scriptPodSchema.optional(),
});
export type ScriptRequest = z.infer<typeof scriptRequestSchema>;

export const scriptStrategySchema = z.object({
  kind: z.enum(["multi-worker", "parameter-server", "between-graph", "one-machine"]),
  /** As the script writes it. */
  name: z.string(),
  /** The line of the script, from 1. */
  line: z.number().int(),
  readsFlags: z.boolean(),
});
export type ScriptStrategy = z.infer<typeof scriptStrategySchema>;

export const scriptPackagesSchema = z.object({
  /** chosen: what the user's Python has. own: a .venv of the folder. requirements: those of a file. system: what the machine's Python has. */
  kind: z.enum(["chosen", "own", "requirements", "system"]),
  /** Name of the file of requirements. */
  file: z.string().optional(),
  /** Packages that the file lists. */
  count: z.number().optional(),
  /** Whether this machine has the environment; one that it lacks is made when the script is started. */
  ready: z.boolean(),
  /** Version of the Python, "3.11.2". */
  python: z.string().optional(),
  /** Why the script cannot run here. */
  problem: problemSchema.optional(),
});
export type ScriptPackages = z.infer<typeof scriptPackagesSchema>;

/** The part of a script's needs that another machine has. */
export const machinePackagesSchema = scriptPackagesSchema.pick({ ready: true, python: true, problem: true });
export type MachinePackages = z.infer<typeof machinePackagesSchema>;

/** A script before it runs. */
export const scriptSurveySchema = z.object({
  path: z.string(),
  /** Path of the script within its folder. */
  script: z.string(),
  folder: z.string(),
  /** Folders that could be sent instead: those around the script's, the innermost first, with itself. */
  folders: z.array(z.string()),
  /** The files that go to other machines; absent if it is too much, which `problem` says. */
  files: z
    .object({
      count: z.number(),
      bytes: z.number(),
      /** The largest. */
      largest: z.array(z.object({ path: z.string(), bytes: z.number() })),
      /** The files that stay here; folders end with a slash. Some of it, and how much there is. */
      leftOut: z.array(z.string()),
      leftOutCount: z.number(),
    })
    .optional(),
  problem: problemSchema.optional(),
  packages: scriptPackagesSchema,
  strategy: scriptStrategySchema.optional(),
});
export type ScriptSurvey = z.infer<typeof scriptSurveySchema>;

/** How far a task is, as its output says. */
export const scriptProgressSchema = z.object({
  unit: z.enum(["epoch", "step"]),
  done: z.number(),
  total: z.number().optional(),
});
export type ScriptProgress = z.infer<typeof scriptProgressSchema>;

export const scriptTaskStateSchema = z.object({
  /** "worker/0" */
  name: z.string(),
  machine: z.string(),
  device: scriptDeviceSchema.optional(),
  /** ended: with success. failed: by itself, otherwise. stopped: because the job ended. */
  state: z.enum(["waiting", "running", "ended", "failed", "stopped"]),
  /** How it ended: "exit code 1". */
  exit: z.string().optional(),
  /** How often it was started. */
  starts: z.number(),
  progress: scriptProgressSchema.optional(),
  /** Its load now, as its machine measures it; absent while it does not run. */
  load: z.object({ cpuPercent: z.number(), memoryBytes: z.number() }).optional(),
});
export type ScriptTaskState = z.infer<typeof scriptTaskStateSchema>;

export const scriptJobSchema = z.object({
  id: z.string(),
  request: scriptRequestSchema,
  /** Path of the script within its folder. */
  script: z.string(),
  /** Name of the folder. */
  folder: z.string(),
  /**
   * preparing: files are sent and environments made. ending: it was stopped, or its result is known, and tasks end or
   * files come back. The others are final.
   */
  state: z.enum(["preparing", "running", "ending", "succeeded", "stopped", "failed"]),
  /** Milliseconds since the epoch, as are those below. */
  startedAt: z.number(),
  /** When the tasks were started. */
  runningSince: z.number().optional(),
  endedAt: z.number().optional(),
  tasks: z.array(scriptTaskStateSchema),
  machines: z.array(
    z.object({
      name: z.string(),
      ready: z.boolean(),
      /** The machine's preparations before the tasks start. */
      progress: z.string().optional(),
    }),
  ),
  /** The files that went to each of the other machines. */
  sent: z.object({ files: z.number(), bytes: z.number() }).optional(),
  restartsLeft: z.number(),
  /** Values of event files. */
  scalars: z.array(scalarSummarySchema.extend({ machine: z.string(), folder: z.string(), step: z.number() })),
  /** The files that came back from other machines, and the folder here to which it did. */
  collected: z.array(
    z.object({
      machine: z.string(),
      folder: z.string(),
      files: z.number(),
      bytes: z.number(),
      leftOut: z.array(z.string()),
    }),
  ),
  /** Why it failed. */
  problem: problemSchema.optional(),
});
export type ScriptJob = z.infer<typeof scriptJobSchema>;
export type ScriptJobState = ScriptJob["state"];

export const scriptCurveSchema = scalarCurveSchema.extend({ machine: z.string(), folder: z.string() });
export type ScriptCurve = z.infer<typeof scriptCurveSchema>;

const jobIdSchema = z.object({ jobId: z.string().max(64) });

export const scriptMethods = {
  /** The conditions of a script's run. */
  "scripts.survey": method(scriptLocationSchema, scriptSurveySchema),
  /** Whether a paired machine has the Python of a script, asked there. */
  "scripts.packages": method(
    scriptLocationSchema.extend({ machineId: deviceIdSchema }),
    machinePackagesSchema,
  ),
  /** Begins to prepare a job, whose tasks start when all machines are ready; resolves to its id. */
  "scripts.start": method(scriptRequestSchema, z.string()),
  /** Ends all tasks of a job, a second call by force. Does nothing once it has ended. */
  "scripts.stop": method(jobIdSchema, nothing),
  /** Forgets a job that has ended. */
  "scripts.forget": method(jobIdSchema, nothing),
  /** Lines of a task ("worker/0"), or about the job itself (""), after the last one that is known. */
  "scripts.log": method(
    jobIdSchema.extend({ task: z.string().max(100), afterSequence: z.number().int().min(-1) }),
    z.array(logLineSchema),
  ),
  "scripts.curves": method(jobIdSchema, z.array(scriptCurveSchema)),
} as const;

export const scriptEvents = {
  /** All jobs that are kept, the newest first. */
  scripts: z.array(scriptJobSchema),
  scriptLog: z.object({ jobId: z.string(), task: z.string(), lines: z.array(logLineSchema) }),
} as const;
