/** Which tasks a unit may be on. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import type { GraphDocument } from "../document/model.js";
import type { KernelCatalogue } from "../kernels/kernel-catalogue.js";
import type { KernelNeeds } from "../kernels/kernel-needs.js";
import type { TaskEngine } from "../kernels/task-engines.js";
import type { PlacementTask } from "./placement-task.js";

/** What the portable engine can compute. */
export interface KnownKernels {
  readonly needs: KernelNeeds;
  readonly catalogue: KernelCatalogue;
}

export interface AllowedTasksInput {
  readonly document: Pick<GraphDocument, "nodes">;
  readonly tasks: readonly PlacementTask[];
  /** Undefined where no task is a portable one, so that nothing is known to lack. */
  readonly kernels: KnownKernels | undefined;
  /** Nodes that are pinned to a task stay there. */
  readonly keepPins: boolean;
}

/** 1 where all nodes of a unit may be: what they are pinned to, and where there are kernels for them. */
export function allowedTasks(members: readonly (readonly string[])[], input: AllowedTasksInput): Uint8Array {
  const { document, tasks, keepPins, kernels } = input;
  const allowed = new Uint8Array(members.length * tasks.length);
  for (const [unit, names] of members.entries()) {
    const nodes = names.flatMap((name) => document.nodes.get(name) ?? []);
    const pinned = nodes.filter(({ device }) => device !== "");
    const byPin = tasks.map(({ engine }) => pinned.every(({ device }) => permits(device, engine, keepPins)));
    const byKernel = tasks.map(
      ({ engine }) => kernels === undefined || nodes.every((node) => hasKernels(node, engine, kernels)),
    );
    const both = byPin.map((permitted, task) => permitted && byKernel[task] === true);
    // A contradiction is a problem of its own. Pins then matter more: a run says what is missing there.
    const found = both.includes(true) ? both : byPin.includes(true) ? byPin : byKernel;
    const isAnywhere = !found.includes(true);
    for (const task of tasks.keys()) {
      allowed[unit * tasks.length + task] = isAnywhere || found[task] === true ? 1 : 0;
    }
  }
  return allowed;
}

function permits(device: string, { job, index, deviceTypes }: TaskEngine, keepPins: boolean): boolean {
  const parts = tryParseDeviceName(device);
  if (parts === undefined) return true;
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
