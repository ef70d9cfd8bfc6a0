/**
 * Which task each node of a graph will run on, before any master was asked: where the variable that it uses is pinned; else
 * where it is pinned itself; else with the node that holds its variable, or that it is colocated with; else on the task
 * whose master runs the graph, as masters place nodes without a device.
 */

import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { isResource } from "../document/resources.js";
import { dataInputs, type OpLookup, signatureOf } from "../document/signature.js";
import { parseInput } from "../document/tensor-names.js";
import { byJobAndIndex, type ClusterEngines, type TaskEngine } from "./task-engines.js";

export interface NodePlace {
  readonly task: TaskEngine;
  /** False if the master chooses, so the actual task may differ. */
  readonly isPinned: boolean;
}

/** Handles pass through a few nodes at most between a variable and what uses it. */
const MAX_HOPS = 32;

export class NodePlaces {
  readonly #nodes: ReadonlyMap<string, NodeDef>;
  readonly #lookup: OpLookup;
  readonly #engines: ClusterEngines;
  /** By device string: a graph has few different ones. */
  readonly #pinned = new Map<string, NodePlace | undefined>();
  readonly #default: NodePlace;

  constructor(nodes: ReadonlyMap<string, NodeDef>, lookup: OpLookup, engines: ClusterEngines) {
    this.#nodes = nodes;
    this.#lookup = lookup;
    this.#engines = engines;
    this.#default = { task: this.#master(), isPinned: false };
  }

  of(node: NodeDef): NodePlace {
    const ofVariable = this.ofDevice(this.#makerOf(node)?.device ?? "");
    if (ofVariable?.isPinned) return ofVariable;
    const own = this.#ofItself(node);
    return ofVariable !== undefined && own.task.job !== ofVariable.task.job ? ofVariable : own;
  }

  #ofItself(node: NodeDef): NodePlace {
    let current = node;
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const place = this.ofDevice(current.device);
      if (place) return place;
      const next = this.#keeper(current);
      if (!next || next === current) break;
      current = next;
    }
    return this.#default;
  }

  /** Whether a node can be pinned without another one, whose variable it uses or that it is colocated with. */
  isAlone(node: NodeDef): boolean {
    return this.#keeper(node) === undefined;
  }

  /** The task that a device string pins to; undefined if it names no job. */
  ofDevice(device: string): NodePlace | undefined {
    if (device === "") return undefined;
    if (this.#pinned.has(device)) return this.#pinned.get(device);
    // An invalid device name is refused when the graph is run.
    const parts = tryParseDeviceName(device);
    const task = parts?.job === undefined ? undefined : this.#taskOf(parts.job, parts.task);
    const place = task && { task, isPinned: parts?.task !== undefined };
    this.#pinned.set(device, place);
    return place;
  }

  #taskOf(job: string, index: number | undefined): TaskEngine {
    const ofJob = this.#engines.tasks.filter((task) => task.job === job);
    const found =
      index === undefined
        ? (ofJob.find(({ isUp }) => isUp) ?? ofJob[0])
        : ofJob.find((task) => task.index === index);
    return found ?? this.#newTask(job, index ?? 0);
  }

  #newTask(job: string, index: number): TaskEngine {
    const engine = this.#engines.ofNewTask;
    return {
      name: `${job}/${index}`,
      ...{ job, index, engine, deviceTypes: ["CPU"], isUp: false, exists: false },
      couldHaveTensorFlow: engine === "tensorflow",
    };
  }

  /** As the application chooses it: the first task that the graph names, else the first that is up. */
  #master(): TaskEngine {
    const named = new Map<string, TaskEngine>();
    for (const { device } of this.#nodes.values()) {
      const task = this.ofDevice(device)?.task;
      if (task) named.set(task.name, task);
    }
    const [first] = [...named.values()].sort(byJobAndIndex);
    const { tasks } = this.#engines;
    return first ?? tasks.find(({ isUp }) => isUp) ?? tasks[0] ?? this.#newTask("worker", 0);
  }

  /** The node with which another one must be colocated. */
  #keeper(node: NodeDef): NodeDef | undefined {
    for (const name of colocatedNodes(node.attr)) {
      const other = this.#nodes.get(name);
      if (other) return other;
    }
    return this.#resourceOf(node);
  }

  /** The node that makes the resource which another one uses; undefined if it uses none. */
  #makerOf(node: NodeDef): NodeDef | undefined {
    let maker: NodeDef | undefined;
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const next = this.#resourceOf(maker ?? node);
      if (!next) break;
      maker = next;
    }
    return maker;
  }

  /** The node from which another one has its resource. */
  #resourceOf(node: NodeDef): NodeDef | undefined {
    const slot = signatureOf(node, this.#lookup)?.inputs.find(isResource);
    const source = slot && parseInput(dataInputs(node)[slot.index] ?? "");
    return source?.kind === "data" ? this.#nodes.get(source.node) : undefined;
  }
}
