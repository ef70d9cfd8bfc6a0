/** Tasks that are unhealthy, and machines that do not match each other. */
import type { Problem } from "../../../api/problem.js";
import { cloneProblem } from "../../../machine/clone-problem.js";
import { machineSilent } from "../../../machine/machine-silent.js";
import { listText } from "../explain/evidence.js";
import { bytesText, finding, groupBy, type Rule } from "./diagnosis.js";
import { isUp, type PlacedTask, placedTasks } from "./situation.js";

/** Traces and logs of several machines are read side by side; certificates and files have times as well. */
const CLOCK_TOLERANCE_MILLIS = 2000;
const MEMORY_NEARLY_FULL = 0.92;
const PARAMETER_SERVERS: ReadonlySet<string> = new Set(["ps"]);
const WORKERS: ReadonlySet<string> = new Set(["worker", "chief", "master"]);

const portTrouble =
  /(?:is )?in use by|Address already in use|No address added out of total|10048|EADDRINUSE/i;

function textOf({ message, reason, details }: Problem): string {
  return [message, reason, details].join("\n");
}

function ofTask({ task, machine, name }: PlacedTask) {
  return { machineId: machine.id, taskId: task.id, task: name };
}

function failed(placed: readonly PlacedTask[]) {
  return placed.flatMap((one) =>
    one.task.state === "failed" && one.task.problem ? [{ ...one, problem: one.task.problem }] : [],
  );
}

export const portInUse: Rule = (situation) =>
  failed(placedTasks(situation))
    .filter(({ problem }) => portTrouble.test(textOf(problem)))
    .map((placed) => {
      const holder = /in use by ([^\n.]+?(?: \(process \d+\))?)(?:\.|\n|$)/.exec(textOf(placed.problem))?.[1];
      return finding(
        "error",
        {
          message: `${placed.name} cannot listen on ${placed.task.address || "its port"}: ${holder ?? "another program"} has the port.`,
          reason:
            "Probably an earlier run is still there: a TensorFlow server keeps its port until its process ends.",
          remedy: "End that program, or give the task another port.",
          details: placed.problem.details ?? placed.problem.message,
        },
        ofTask(placed),
      );
    });

export const taskFailed: Rule = (situation) =>
  failed(placedTasks(situation))
    .filter(({ problem }) => !portTrouble.test(textOf(problem)))
    .map((placed) => finding("error", placed.problem, ofTask(placed)));

/** A failing route to it says more, where an address of it is known. */
export const machineAway: Rule = ({ machines, routes }) =>
  machines
    .filter(({ kind, presence }) => kind === "paired" && presence === "offline")
    .filter(({ id }) => !routes.some(({ to, outcome }) => to === id && outcome === "failed"))
    .map((machine) => finding("warning", machineSilent(machine), { machineId: machine.id }));

export const taskHangs: Rule = (situation) =>
  placedTasks(situation)
    // If the machine is away, nothing is known about the process; the machine itself is reported instead.
    .filter(({ task, machine }) => task.state === "unresponsive" && machine.presence !== "offline")
    .map((placed) =>
      finding(
        "error",
        {
          code: "UNAVAILABLE",
          message: placed.task.foreign
            ? `${placed.name} at ${placed.task.address} does not answer.`
            : `${placed.name} is running, but does not answer.`,
          reason: placed.task.foreign
            ? "Its process ended, hangs, or cannot be reached."
            : "Its process is paused, swapped out or hanging.",
          remedy: "Look at its log and restart it; the variables that it holds are then lost.",
        },
        ofTask(placed),
      ),
    );

/** The code of the notice on a task whose server was replaced (main/cluster/restart-notice.ts). */
const RESTARTED = "ABORTED";

function noticed(placed: readonly PlacedTask[]) {
  return placed.flatMap((one) => (one.task.notice ? [{ ...one, notice: one.task.notice }] : []));
}

export const taskRestarted: Rule = (situation) =>
  noticed(placedTasks(situation))
    .filter(({ notice }) => notice.code === RESTARTED)
    .map((placed) =>
      finding(
        "warning",
        {
          ...placed.notice,
          reason:
            placed.notice.reason ??
            "A different server now answers at its address, and sessions that were open do not know it.",
        },
        ofTask(placed),
      ),
    );

export const taskNotice: Rule = (situation) =>
  noticed(placedTasks(situation))
    .filter(({ notice }) => notice.code !== RESTARTED)
    .map((placed) => finding("warning", placed.notice, ofTask(placed)));

export const psWithoutWorkers: Rule = (situation) => {
  const placed = placedTasks(situation);
  const servers = placed.filter(({ task }) => PARAMETER_SERVERS.has(task.job) && isUp(task));
  const workers = placed.filter(({ task }) => WORKERS.has(task.job));
  if (servers.length === 0 || workers.length === 0) return [];
  if (workers.some(({ task }) => isUp(task) || task.state === "starting")) return [];
  const [first] = servers;
  return [
    finding(
      "warning",
      {
        message: `${listText(servers.map(({ name }) => name))} still run${servers.length === 1 ? "s" : ""}, but no worker does.`,
        reason: "A parameter server waits forever: nothing tells it that the last worker has finished.",
        remedy: "Stop it, or let Tensordeck stop parameter servers with the last worker (in the settings).",
      },
      first && ofTask(first),
    ),
  ];
};

export const workerFinished: Rule = (situation) => {
  if (situation.membership !== "fixed") return [];
  const workers = placedTasks(situation).filter(({ task }) => WORKERS.has(task.job));
  const waiting = workers.filter(({ task }) => isUp(task));
  if (waiting.length === 0) return [];
  return workers
    .filter(({ task }) => task.problem !== undefined && /\bexit code 0\b/.test(task.problem.message))
    .map((done) =>
      finding(
        "warning",
        {
          message: `${done.name} has finished and exited, but ${listText(waiting.map(({ name }) => name))} may wait for it.`,
          reason: "A session of a fixed cluster waits for every task that its ClusterSpec names.",
          remedy:
            "Give the sessions device filters with all ps tasks and their own task, or keep workers up until all are done.",
        },
        ofTask(done),
      ),
    );
};

export const waitsForMissingTasks: Rule = (situation) => {
  if (situation.membership !== "fixed") return [];
  const placed = placedTasks(situation);
  const up = placed.filter(({ task }) => isUp(task));
  const missing = placed.filter(({ task }) => task.state === "stopped" || task.state === "failed");
  if (up.length === 0 || missing.length === 0) return [];
  return [
    finding(
      "warning",
      {
        code: "UNAVAILABLE",
        message: `${listText(missing.map(({ name }) => name))} ${missing.length === 1 ? "is" : "are"} not up, so everything that uses the whole cluster waits.`,
        reason: `${listText(up.map(({ name }) => name))} know${up.length === 1 ? "s" : ""} of ${missing.length === 1 ? "it" : "them"} from the start; a strategy that spans all workers begins when the last one is up.`,
        remedy: "Start the missing tasks, or restart the others without them.",
      },
      missing[0] && ofTask(missing[0]),
    ),
  ];
};

export const mixedVersions: Rule = ({ machines }) => {
  const used = machines.flatMap((machine) => {
    const engine = machine.tasks.find((task) => isUp(task) && !task.foreign)?.engine;
    const version = machine.engines.find((one) => one.engine === engine)?.version;
    return engine === "tensorflow" && version ? [{ name: machine.name, version }] : [];
  });
  const versions = groupBy(used, ({ version }) => version);
  if (versions.size < 2) return [];
  return [
    finding("warning", {
      message: `The tasks run different versions of TensorFlow: ${listText([...versions].map(([version, on]) => `${version} on ${listText(on.map(({ name }) => name))}`))}.`,
      reason:
        'An op or attribute that only the newer one has fails on the other with "Op type not registered" or "NodeDef mentions attr".',
      remedy: "Install the same version everywhere.",
    }),
  ];
};

export const mixedTensordeckVersions: Rule = ({ machines }) => {
  const known = machines.filter(
    ({ kind, version }) => (kind === "this" || kind === "paired") && version !== "",
  );
  const versions = groupBy(known, ({ version }) => version);
  if (versions.size < 2) return [];
  return [
    finding("info", {
      message: `The machines run different versions of Tensordeck: ${listText([...versions].map(([version, on]) => `${version} on ${listText(on.map(({ name }) => name))}`))}.`,
      remedy: "Update the older ones when something does not work between them.",
    }),
  ];
};

export const clockOffset: Rule = ({ machines, samples }) =>
  machines.flatMap((machine) => {
    const offsetMillis = samples?.machines.get(machine.id)?.clockOffsetMillis ?? 0;
    if (Math.abs(offsetMillis) <= CLOCK_TOLERANCE_MILLIS) return [];
    const seconds = offsetMillis / 1000;
    return [
      finding(
        "warning",
        {
          message: `The clock of ${machine.name} is ${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? "fast" : "slow"}.`,
          reason: "The times in its logs, traces and checkpoints do not match those of the others.",
          remedy: `Let ${machine.name} set its clock from the network (NTP).`,
        },
        { machineId: machine.id },
      ),
    ];
  });

export const memoryNearlyFull: Rule = ({ machines, samples }) =>
  machines.flatMap((machine) => {
    const used = samples?.machines.get(machine.id)?.memoryUsedBytes;
    if (used === undefined || machine.memoryBytes <= 0 || used / machine.memoryBytes < MEMORY_NEARLY_FULL)
      return [];
    const resident = machine.tasks
      .map(({ id, job, index }) => ({
        name: `${job}/${index}`,
        bytes: samples?.tasks.get(id)?.memoryBytes ?? 0,
      }))
      .sort((a, b) => b.bytes - a.bytes);
    const [largest] = resident;
    return [
      finding(
        "warning",
        {
          code: "RESOURCE_EXHAUSTED",
          message: `The memory of ${machine.name} is nearly full: ${bytesText(used)} of ${bytesText(machine.memoryBytes)}.`,
          reason:
            largest && largest.bytes > 0
              ? `The largest task there is ${largest.name} with ${bytesText(largest.bytes)} of resident memory.`
              : undefined,
          remedy:
            "Move tasks to another machine, or use smaller batches; the system kills processes that use too much.",
        },
        { machineId: machine.id },
      ),
    ];
  });

export const clonedIdentity: Rule = ({ machines }) =>
  machines.flatMap((machine) =>
    machine.clones === undefined
      ? []
      : [finding("error", cloneProblem(machine, machine.clones), { machineId: machine.id })],
  );
