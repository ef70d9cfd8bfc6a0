/** Which tasks a unit may be on. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { type DeviceParts, tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import type { GraphDocument } from "../document/model.js";
import { makesResource } from "../document/resources.js";
import type { OpLookup } from "../document/signature.js";
import type { KernelCatalogue } from "../kernels/kernel-catalogue.js";
import type { KernelNeeds } from "../kernels/kernel-needs.js";
import type { TaskEngine } from "../kernels/task-engines.js";
import type { PlacementTask } from "./placement-task.js";

/** The ops that the portable engine can compute. */
export interface KnownKernels {
  readonly needs: KernelNeeds;
  readonly catalogue: KernelCatalogue;
}

export interface AllowedTasksInput {
  readonly document: Pick<GraphDocument, "nodes">;
  readonly lookup: OpLookup;
  readonly tasks: readonly PlacementTask[];
  /** Undefined where no task is a portable one, so that nothing is known to lack. */
  readonly kernels: KnownKernels | undefined;
  /** Nodes that are pinned to a task stay there. */
  readonly keepPins: boolean;
}

/** 1 where all nodes of a unit may be: what they are pinned to, and where there are kernels for them. */
export function allowedTasks(members: readonly (readonly string[])[], input: AllowedTasksInput): Uint8Array {
  const { document, tasks, kernels } = input;
  const allowed = new Uint8Array(members.length * tasks.length);
  for (const [unit, names] of members.entries()) {
    const nodes = names.flatMap((name) => document.nodes.get(name) ?? []);
    const byPin = tasksByPins(nodes, input);
    const byKernel = tasks.map(
      ({ engine }) => kernels === undefined || nodes.every((node) => hasKernels(node, engine, kernels)),
    );
    const both = byPin.map((permitted, task) => permitted && byKernel[task] === true);
    // Where both contradict, pins matter more: a run says what is missing there.
    const found = both.includes(true) ? both : byPin;
    for (const task of tasks.keys()) allowed[unit * tasks.length + task] = found[task] === true ? 1 : 0;
  }
  return allowed;
}

/**
 * The tasks that the pins of a unit leave, true by number; at least one. As in masters, the pin of a variable counts before
 * those of what uses it, which graphs of tf.compat.v1.train.replica_device_setter pin elsewhere. A pin that
 * contradicts one before it, or that no task can fulfil, has no effect.
 */
export function tasksByPins(
  nodes: readonly NodeDef[],
  { lookup, tasks, keepPins }: Pick<AllowedTasksInput, "lookup" | "tasks" | "keepPins">,
): readonly boolean[] {
  let left = tasks.map(() => true);
  const pinned = nodes.filter(({ device }) => device !== "");
  const deciding = pinned.filter((node) => makesResource(node, lookup));
  for (const { device } of new Set([...deciding, ...pinned])) {
    const parts = tryParseDeviceName(device);
    if (parts === undefined) continue;
    // Where a task lacks the device, soft placement takes another one of the same task.
    for (const asked of [parts, { ...parts, type: undefined }]) {
      const both = left.map((is, task) => is && permits(asked, tasks[task]?.engine, keepPins));
      if (!both.includes(true)) continue;
      left = both;
      break;
    }
  }
  return left;
}

function permits(parts: DeviceParts, engine: TaskEngine | undefined, keepPins: boolean): boolean {
  if (engine === undefined) return false;
  const { job, index, deviceTypes } = engine;
  const type = parts.type?.toUpperCase();
  if (type !== undefined && type !== "CPU" && !deviceTypes.includes(type)) return false;
  if (parts.job !== undefined && parts.task !== undefined && !keepPins) return true;
  return (parts.job ?? job) === job && (parts.task ?? index) === index;
}

function hasKernels(
  node: NodeDef,
  { engine, deviceTypes }: TaskEngine,
  { needs, catalogue }: KnownKernels,
): boolean {
  return (
    engine !== "portable" ||
    needs.of(node).every((need) => catalogue.missing(need, deviceTypes) === undefined)
  );
}
