/** The scripts that windows of this machine have submitted, one after the other or at once. */

import { randomUUID } from "node:crypto";
import { isAbsolute, join, normalize } from "node:path";
import { withDeadline } from "../../worker-runtime/cancellation/deadline.js";
import type { ScriptPodRequest, ScriptRequest, scriptMethods } from "../api/scripts.js";
import type { Identity } from "../peers/identity/identity.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import { isInnerPath } from "../scripts/files/file-paths.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { log } from "../shared/log/log.js";
import { defined, noSuchMachine, problem } from "../shared/problems.js";
import { once, type Room } from "../shared/room.js";
import { UpdateThrottle } from "../shared/update-throttle.js";
import { LogBatcher } from "../tasks/log-batcher.js";
import type { Ports } from "../tasks/ports.js";
import { JobArchive, type KeptJob } from "./job-archive.js";
import { JobRecord } from "./job-record.js";
import { DEFAULT_MAX_MB, type JobSettings, type PlannedTask } from "./job-settings.js";
import { type OpenPlace, submitJob } from "./submit-job.js";
import { surveyMachine } from "./survey-machine.js";
import { type Located, locateScript, surveyScript } from "./survey-script.js";

/** With their logs and curves. */
const MOST_JOBS = 20;
/** A folder with a great many files takes long to list. */
const SURVEY_MILLIS = 30_000;

export interface SubmitOptions {
  /** Folder of what scripts need on this machine: their environments. */
  readonly folder: string;
  readonly ports: Pick<Ports, "takeExactly" | "release">;
  readonly identity: Identity;
  readonly trust: { get(deviceId: string): TrustedMachine | undefined };
  /** Name of this machine. */
  readonly ownName: () => string;
  readonly emit: EmitEvent;
}

export interface SubmitRoom extends Room<HandlersOf<typeof scriptMethods>> {
  /** The scripts that run, with when they were started. */
  running(): { readonly script: string; readonly startedAt: number }[];
  /** Sets what opens Kubernetes as a place for scripts. That room is created after this one. */
  attachKubernetes(open: OpenKubernetes): void;
}

/** @throws ProblemError if there is no connection to Kubernetes, or an option has no such value */
export type OpenKubernetes = (pod: ScriptPodRequest) => { readonly name: string; readonly open: OpenPlace };

interface Kept {
  readonly record: KeptJob;
  readonly done: Promise<void>;
}

export function createSubmit(options: SubmitOptions): SubmitRoom {
  const { folder, ports, identity, trust, ownName, emit } = options;
  const environments = join(folder, "environments");
  const ownId = identity.deviceId;
  let openKubernetes: OpenKubernetes | undefined;
  /** The newest first. */
  let jobs: Kept[] = [];
  const tell = new UpdateThrottle(() =>
    emit(
      "scripts",
      jobs.map(({ record }) => record.shown()),
    ),
  );
  const lines = new LogBatcher((key, added) => {
    const [jobId = "", task = ""] = key.split(" ");
    emit("scriptLog", { jobId, task, lines: added });
  });
  const archive = new JobArchive(join(folder, "history"), MOST_JOBS);
  const restored = archive.load().then(
    (earlier) => {
      if (earlier.length === 0) return;
      jobs = [...jobs, ...earlier.map((record) => ({ record, done: Promise.resolve() }))].slice(0, MOST_JOBS);
      tell.now();
    },
    (error: unknown) => log.error("The scripts of before cannot be listed.", error),
  );
  const find = async (jobId: string): Promise<KeptJob> => {
    await restored;
    const found = jobs.find(({ record }) => record.id === jobId);
    if (found) return found.record;
    throw problem("NOT_FOUND", "That job of a script is no longer kept.", {
      reason: `The newest ${MOST_JOBS} are kept.`,
    });
  };
  const planned = (request: ScriptRequest): PlannedTask[] =>
    request.tasks.map(({ job, index, machineId, device }) => {
      const isOwn = machineId === undefined || machineId === ownId || request.kubernetes !== undefined;
      const machine = isOwn ? undefined : trust.get(machineId);
      if (!isOwn && !machine) throw noSuchMachine(machineId);
      return { job, index, machine, device };
    });
  const nameOf = (machineId: string | undefined) =>
    machineId === undefined || machineId === ownId ? ownName() : (trust.get(machineId)?.name ?? machineId);

  const start = async (request: ScriptRequest): Promise<string> => {
    checkTasks(request);
    const located = await locateScript(request);
    const settings = settingsOf(request, located);
    const tasks = planned(request);
    const place = request.kubernetes && openKubernetes?.(request.kubernetes);
    const id = randomUUID();
    const record = new JobRecord({
      ...{ id, request },
      nameOf: place === undefined ? nameOf : () => place.name,
      ...located,
      onChange: (isUrgent) => (isUrgent ? tell.now() : tell.soon()),
      onLine: (task, line) => lines.add(`${id} ${task}`, line),
    });
    const submitter = { identity: async () => identity, environments, ports };
    const done = submitJob({
      ...{ settings, tasks, submitter, events: record, signal: record.signal },
      openPlace: place?.open,
    })
      .then(
        (result) => record.finished(result),
        (error: unknown) => record.notStarted(error),
      )
      .then(() => archive.keep(record));
    jobs = [{ record, done }, ...jobs].filter(({ record: kept }, index) => index < MOST_JOBS || !kept.isOver);
    tell.now();
    return id;
  };

  const endWork = once(async () => {
    for (const { record } of jobs) record.stop(problem("CANCELLED", "Tensordeck is shutting down."));
    await Promise.all([restored, ...jobs.map(({ done }) => done)]);
    tell.dispose();
    lines.dispose();
  });
  return {
    handlers: {
      "scripts.survey": (location) =>
        withDeadline(SURVEY_MILLIS, undefined, (signal) => surveyScript(location, environments, signal)),
      "scripts.packages": async ({ machineId, ...location }) => {
        const machine = trust.get(machineId);
        if (!machine) throw noSuchMachine(machineId);
        const located = await locateScript(location);
        const host = { identity, machine, ...located, python: location.python };
        return defined(await withDeadline(SURVEY_MILLIS, undefined, (signal) => surveyMachine(host, signal)));
      },
      "scripts.start": start,
      "scripts.stop": async ({ jobId }) =>
        (await find(jobId)).stop(problem("CANCELLED", "The job was stopped before its tasks had started.")),
      "scripts.forget": async ({ jobId }) => {
        const found = jobs.find(({ record }) => record.id === jobId);
        if (!found?.record.isOver) return;
        jobs = jobs.filter((kept) => kept !== found);
        tell.now();
        // It is written when it has ended.
        await found.done;
        await archive.forget(jobId);
      },
      "scripts.log": async ({ jobId, task, afterSequence }) => (await find(jobId)).lines(task, afterSequence),
      "scripts.curves": async ({ jobId }) => (await find(jobId)).curves(),
    },
    running: () =>
      jobs.flatMap(({ record }) => {
        const { script, startedAt } = record.shown();
        return record.isOver ? [] : [{ script, startedAt }];
      }),
    attachKubernetes: (open) => {
      openKubernetes = open;
    },
    endWork,
    dispose: endWork,
  };
}

/** @throws ProblemError INVALID_ARGUMENT if a task is given twice, or a job has gaps. */
function checkTasks({ tasks }: ScriptRequest): void {
  const names = new Set(tasks.map(({ job, index }) => `${job}/${index}`));
  const gap = tasks.find(({ job, index }) => index > 0 && !names.has(`${job}/${index - 1}`));
  if (names.size === tasks.length && !gap) return;
  throw problem("INVALID_ARGUMENT", "The tasks of a job must be numbered from 0, each once.", {
    reason: gap ? `There is no ${gap.job}/${gap.index - 1}.` : "One is given twice.",
  });
}

function settingsOf(request: ScriptRequest, located: Located): JobSettings {
  const { args, python, restarts, passFlags, network, scalars, outputs } = request;
  return {
    ...located,
    ...{ args, restarts, passFlags, network, scalars },
    outputs: typeof outputs === "string" ? innerFolder(outputs) : outputs,
    maxBytes: DEFAULT_MAX_MB * 1e6,
    python,
    requirements: undefined,
  };
}

/** @throws ProblemError INVALID_ARGUMENT for a path that leads out of the script's folder. */
function innerFolder(text: string): string | undefined {
  const path = normalize(text.trim()).replaceAll("\\", "/").replace(/\/+$/, "");
  if (path === "." || path === "") return undefined;
  if (!isAbsolute(path) && isInnerPath(path)) return path;
  throw problem("INVALID_ARGUMENT", `${text} is not a folder within the script's folder.`, {
    remedy: "Give its path as the script writes it, as in checkpoints.",
  });
}
