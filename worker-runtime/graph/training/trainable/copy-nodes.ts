/** Copies of a part of a graph, each for another task. */

import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { formatDeviceName, parseDeviceName, type TaskName } from "../../../cluster/device-name.js";
import { unimplemented } from "../../../protocol/status.js";
import { COLOCATION_ATTR } from "../../colocation-groups.js";
import type { Graph } from "../../graph.js";
import type { Operation, Output } from "../../operation.js";

/** The operations that must run for `roots`, themselves included. */
export function operationsFor(roots: Iterable<Operation>): Set<Operation> {
  const needed = new Set(roots);
  for (const op of needed) {
    for (const { op: source } of op.inputs) needed.add(source);
    for (const source of op.controlInputs) needed.add(source);
  }
  return needed;
}

/** Those of `within` that read what `sources` are computed to, also through others. */
export function readersWithin(within: ReadonlySet<Operation>, sources: ReadonlySet<Output>): Set<Operation> {
  const readers = new Map<Operation, Operation[]>();
  const found = new Set<Operation>();
  for (const op of within) {
    for (const input of op.inputs) {
      if (sources.has(input)) found.add(op);
      const list = readers.get(input.op);
      if (list) list.push(op);
      else readers.set(input.op, [op]);
    }
  }
  for (const op of found) for (const reader of readers.get(op) ?? []) found.add(reader);
  return found;
}

export interface CopyOptions {
  /** The nodes that are copied: closed in that nothing outside reads what only a copy computes. */
  readonly nodes: ReadonlySet<Operation>;
  /** The outputs that copies read instead. */
  readonly replaced: ReadonlyMap<Output, Output>;
  /** Where the copies are; the kind of device of a node stays. */
  readonly task: TaskName;
  /** Added to the seeds of random nodes, so that no two copies draw the same numbers. */
  readonly seedOffset: number;
}

/**
 * Copies operations within the current name scope. Nodes that take a variable itself stay with the variable.
 * @returns the tensor of the copy that stands for one of the graph; tensors that are not copied stand for themselves
 * @throws TensorFlowError UNIMPLEMENTED for a loop, INVALID_ARGUMENT if shapes no longer fit
 */
export function copyNodes(graph: Graph, options: CopyOptions): (of: Output) => Output {
  const { nodes, replaced } = options;
  const copies = new Map<Operation, Operation>();
  const instead = (of: Output): Output => replaced.get(of) ?? copies.get(of.op)?.outputAt(of.index) ?? of;
  for (const op of inOrder(nodes)) {
    const inputs = op.inputs.map(instead);
    const state = inputs.find((input) => input.isRef || input.dtype === "resource");
    const make = () =>
      graph.addNode({ type: op.type, name: op.name, inputs, attrs: attrsOf(op, options.seedOffset) });
    const controls = op.controlInputs.map((source) => copies.get(source) ?? source);
    copies.set(
      op,
      graph.withControlDependencies(controls, () =>
        state ? graph.withColocation(state, make) : graph.withDevice(deviceAt(op.device, options.task), make),
      ),
    );
  }
  return instead;
}

/** The same kind of device of a task. */
function deviceAt(device: string, { job, index: task }: TaskName): string {
  const { type, index } = parseDeviceName(device);
  return formatDeviceName({ job, task, type, index });
}

function attrsOf(op: Operation, seedOffset: number): Map<string, AttrValue> {
  const attrs = new Map(op.attrs);
  attrs.delete(COLOCATION_ATTR);
  return seedOffset === 0 ? attrs : withSeeds(attrs, seedOffset);
}

/** The attributes with other seeds; without any, TensorFlow draws one for each node. */
export function withSeeds(attrs: ReadonlyMap<string, AttrValue>, offset: number): Map<string, AttrValue> {
  const changed = new Map(attrs);
  const seeds = ["seed", "seed2"].map((name) => changed.get(name)?.value);
  if (!seeds.some((seed) => seed?.$case === "i" && seed.value !== 0n)) return changed;
  const second = seeds[1]?.$case === "i" ? seeds[1].value : undefined;
  if (second !== undefined) changed.set("seed2", { value: { $case: "i", value: second + BigInt(offset) } });
  return changed;
}

/** Each after those of its inputs that are among them. */
function inOrder(nodes: ReadonlySet<Operation>): Operation[] {
  const ordered = new Set<Operation>();
  const begun = new Set<Operation>();
  const open = [...nodes];
  for (let op = open.at(-1); op; op = open.at(-1)) {
    const before = [...op.inputs.map((input) => input.op), ...op.controlInputs].filter(
      (source) => nodes.has(source) && !ordered.has(source),
    );
    if (ordered.has(op) || before.length === 0) {
      ordered.add(op);
      open.pop();
    } else if (begun.has(op)) {
      throw unimplemented(`Node "${op.name}" is in a loop, which cannot be copied for each worker.`);
    } else {
      begun.add(op);
      open.push(...before);
    }
  }
  return [...ordered];
}
