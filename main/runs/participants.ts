/** Which tasks a run needs, whether they are available, and which of them is its master. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { localDeviceText } from "../../worker-runtime/cluster/device-name.js";
import { isCollectiveOp, tasksOfCollectives } from "../../worker-runtime/graph/collective-ops.js";
import type { Engine, Membership, TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { ProblemError } from "../api/wire.js";
import { problem } from "../shared/problems.js";
import type { Pin } from "./graph-check.js";

/** The facts about a task that are checked. */
export interface Participant {
  readonly id: string;
  /** "worker/0" */
  readonly name: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
  readonly address: string;
  readonly state: TaskState;
  /** Full names and types; empty while the task is not running. */
  readonly devices: readonly { readonly name: string; readonly type: string }[];
  /** Changes with every new server at this index. */
  readonly incarnation: string | undefined;
  /** Why no session can use it, though it may be running. */
  readonly unusable: Problem | undefined;
  /** Its problem in the words of the window. */
  readonly snapshot?: { readonly problem?: Problem | undefined };
}

/** "wait": tasks are still starting. "ready": the run can begin. */
export type Readiness =
  | { readonly kind: "wait"; readonly tasks: readonly Participant[] }
  | {
      readonly kind: "ready";
      /** Every task of the session's cluster. */
      readonly members: readonly Participant[];
      /** The members that the graph requires. */
      readonly needed: readonly Participant[];
      readonly master: Participant;
    };

/**
 * @throws ProblemError FAILED_PRECONDITION or UNAVAILABLE, naming the node and the task that is missing, stopped, failed
 *   or silent, with what to do about it.
 */
export function participantsOf(
  tasks: readonly Participant[],
  pins: readonly Pin[],
  softPlacement: boolean,
): Readiness {
  const sorted = [...tasks].sort(byJobThenIndex);
  const needed = new Map<string, Participant>();
  for (const pin of pins) {
    const task = taskOfPin(sorted, pin);
    if (task) needed.set(task.name, task);
  }
  const starting = [...needed.values()].filter((task) => task.state === "starting");
  if (starting.length > 0) return { kind: "wait", tasks: starting };

  const members = sorted.filter((task) => task.state === "running" && !task.unusable);
  const master = members.find((task) => needed.has(task.name)) ?? members[0];
  if (!master) {
    const coming = sorted.filter((task) => task.state === "starting");
    if (coming.length > 0) return { kind: "wait", tasks: coming };
    const { unusable } = sorted.find((task) => task.state === "running") ?? {};
    throw problem("FAILED_PRECONDITION", "No task is running that could run the graph.", {
      reason: unusable?.message,
      remedy: unusable?.remedy ?? (tasks.length === 0 ? "Add a worker." : "Start a task of the cluster."),
    });
  }
  if (!softPlacement) checkDeviceTypes(members, pins);
  if (needed.size === 0) needed.set(master.name, master);
  return { kind: "ready", members, needed: [...needed.values()], master };
}

/** The task that a pin names, or undefined for a pin that leaves the choice to TensorFlow. */
function taskOfPin(tasks: readonly Participant[], pin: Pin): Participant | undefined {
  if (pin.job === undefined) return undefined;
  const ofJob = tasks.filter((task) => task.job === pin.job).sort(usableFirst);
  if (pin.task === undefined) {
    const task = ofJob.find((candidate) => candidate.state === "running") ?? ofJob[0];
    if (task) return usable(task, pin);
  } else {
    const task = ofJob.find((candidate) => candidate.index === pin.task);
    if (task) return usable(task, pin);
  }
  const name = pin.task === undefined ? `job ${pin.job}` : `${pin.job}/${pin.task}`;
  const offered = tasks.filter((task) => task.state === "running" && !task.unusable).map((task) => task.name);
  throw problem("FAILED_PRECONDITION", `${pin.node} is pinned to ${name}, which the cluster does not have.`, {
    remedy:
      offered.length === 0
        ? `Add a task to job ${pin.job}, or pin ${pin.node} elsewhere.`
        : `Pin ${pin.node} to ${offered.join(" or ")}, or add a task to job ${pin.job}.`,
    node: pin.node,
    task: pin.task === undefined ? undefined : name,
    details: pin.device,
  });
}

const faults: Partial<
  Record<TaskState, { readonly code: string; readonly what: string; readonly verb: string }>
> = {
  stopped: { code: "FAILED_PRECONDITION", what: "is stopped", verb: "Start" },
  stopping: { code: "FAILED_PRECONDITION", what: "is being stopped", verb: "Start" },
  failed: { code: "UNAVAILABLE", what: "has failed", verb: "Start" },
  unresponsive: { code: "UNAVAILABLE", what: "does not answer", verb: "Restart" },
};

function usable(task: Participant, pin: Pin): Participant {
  const fault = faults[task.state];
  if (!fault && task.unusable) throw new ProblemError({ ...task.unusable, node: pin.node });
  if (!fault) return task;
  // A task that does not answer may still run: then the connection to its machine is to be mended.
  const silence = task.state === "unresponsive" ? task.snapshot?.problem : undefined;
  const otherwise = `pin ${pin.node} to another task.`;
  throw problem(fault.code, `${pin.node} is pinned to ${task.name}, which ${fault.what}.`, {
    ...(silence === undefined ? {} : { reason: silence.message }),
    remedy:
      silence?.remedy === undefined
        ? `${fault.verb} ${task.name}, or ${otherwise}`
        : `${silence.remedy} Or ${otherwise}`,
    node: pin.node,
    task: task.name,
  });
}

/** With soft placement TensorFlow takes another device of the task; without it the run would fail in the master. */
function checkDeviceTypes(members: readonly Participant[], pins: readonly Pin[]): void {
  for (const pin of pins) {
    const { type, index } = pin;
    if (type === undefined) continue;
    const candidates = members.filter(
      (task) =>
        (pin.job === undefined || task.job === pin.job) &&
        (pin.task === undefined || task.index === pin.task),
    );
    const found = candidates.some((task) =>
      task.devices.some(
        (device) =>
          device.type.toUpperCase() === type &&
          (index === undefined || localDeviceText(device.name) === `${type}:${index}`),
      ),
    );
    if (found) continue;
    const device = `${type}${index === undefined ? "" : `:${index}`}`;
    const where = candidates.map((task) => task.name).join(" nor ");
    throw problem(
      "INVALID_ARGUMENT",
      `${pin.node} is pinned to ${device}, which ${where || "no task"} does not have.`,
      {
        remedy: `Pin ${pin.node} to another device, or allow soft placement.`,
        node: pin.node,
        details: pin.device,
      },
    );
  }
}

/**
 * TensorFlow's servers run collective operations only with tasks that they know from their start.
 *
 * @throws ProblemError FAILED_PRECONDITION, naming a node, if a dynamic cluster's servers would have to.
 */
export function checkCollectives(
  nodes: ReadonlyMap<string, NodeDef>,
  members: readonly Participant[],
  membership: Membership,
): void {
  const tasks = tasksOfCollectives(nodes.values());
  if (membership === "fixed" || tasks.size < 2) return;
  const alone = members.find(({ name, engine }) => engine === "tensorflow" && tasks.has(name));
  const node = [...nodes.values()].find(({ op }) => isCollectiveOp(op))?.name;
  if (alone === undefined || node === undefined) return;
  throw problem("FAILED_PRECONDITION", `${node} is a collective operation, which needs a fixed cluster.`, {
    reason: `TensorFlow's servers run it only with tasks that they know from their start, and ${alone.name} started alone.`,
    remedy: "Choose fixed membership for the cluster, or run the tasks on the portable engine.",
    node,
    task: alone.name,
  });
}

function byJobThenIndex(a: Participant, b: Participant): number {
  return a.job === b.job ? a.index - b.index : a.job < b.job ? -1 : 1;
}

/** Two machines may each have a worker/0; sessions use the one that can be used. */
function usableFirst(a: Participant, b: Participant): number {
  return Number(a.unusable !== undefined) - Number(b.unusable !== undefined);
}
