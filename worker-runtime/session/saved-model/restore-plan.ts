/**
 * Plans how a SavedModel's values are loaded into a session on any machine. Its own restore operation reads files where
 * it runs, and these are on one machine only. Therefore the assignments behind that operation are fed with the values
 * instead. Pure; the values themselves are read by restore.ts.
 */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { makeNodeDef } from "../../engines/portable/master/graph-node.js";
import { typeAttr } from "../../graph/attr-values.js";
import { tensorName } from "../../graph/edge.js";
import { INIT_OP_SIGNATURE, namesIn, nodeOf } from "../../graph/housekeeping.js";
import { isRestore, stateName } from "../../graph/initialisers.js";
import { type DType, dtypeOf } from "../../protocol/dtype.js";
import { failedPrecondition, invalidArgument, unimplemented } from "../../protocol/status.js";
import { textIn } from "../../training/checkpoint-names.js";
import { assetsOf } from "./assets.js";
import { FlatGraph, inputText, type Source } from "./flat-graph.js";
import { type PlannedStart, planStart } from "./start-plan.js";
import { withoutPlace } from "./without-place.js";

/** A value of the checkpoint and the tensor that it is fed to. */
export interface CheckpointValue {
  readonly feed: string;
  /** Its name in the checkpoint. */
  readonly key: string;
  /** The requested slice in the form of RestoreV2; "" for the whole. */
  readonly slice: string;
  readonly dtype: DType;
}

/** Values that are assigned in one step because one operation needs all of them. */
export interface CheckpointLoad {
  readonly values: readonly CheckpointValue[];
  readonly targets: readonly string[];
  /** The modified states and their values; equal for plans with the same effect. */
  readonly states: readonly string[];
  /** The names under which tasks store the variables. */
  readonly variables: readonly string[];
}

export interface RestorePlan extends PlannedStart {
  /** To be added to the session's graph. */
  readonly nodes: readonly NodeDef[];
  readonly loads: readonly CheckpointLoad[];
}

/**
 * @param metaGraph of the SavedModel, with the session's graph
 * @param prefix of the names of the plan's nodes; no node of the graph may have it
 * @throws TensorFlowError FAILED_PRECONDITION, UNIMPLEMENTED or INVALID_ARGUMENT if the graph does not describe how it is restored
 */
export function planRestore(metaGraph: MetaGraphDef, prefix: string): RestorePlan {
  try {
    return planned(metaGraph, prefix);
  } catch (error) {
    // The stack is full: no program makes chains of as many nodes.
    if (!(error instanceof RangeError)) throw error;
    throw invalidArgument(
      "The values of the variables cannot be restored: the nodes that do it wait for each other in a cycle, or in a " +
        "chain of thousands. The file is damaged, or was not made by TensorFlow.",
      { cause: error },
    );
  }
}

function planned(metaGraph: MetaGraphDef, prefix: string): RestorePlan {
  const graph = metaGraph.graphDef;
  const restore = nodeOf(metaGraph.saverDef?.restoreOpName ?? "");
  const init = initOperation(metaGraph);
  const nodes: NodeDef[] = [];
  const loads: CheckpointLoad[] = [];
  if (graph && restore !== "") {
    if (!graph.node.some(({ name }) => name === restore)) {
      throw failedPrecondition(
        `The values of the variables cannot be restored: the graph has no node ${restore}, which says how.`,
      );
    }
    const planner = new LoadPlanner(new FlatGraph(graph, restore, prefix), prefix);
    nodes.push(...planner.nodes);
    loads.push(...planner.loads);
  }
  const start = graph && init !== undefined && graph.node.some(({ name }) => name === init);
  if (!start) return { nodes, loads, tables: [], start: undefined };
  const { tables, ...rest } = planStart(
    new FlatGraph(graph, init, prefix),
    init,
    assetsOf(metaGraph),
    prefix,
  );
  return { nodes: [...nodes, ...rest.nodes], loads, tables, start: rest.start };
}

/** The operation that a SavedModel runs after restoring, such as the initializers of its tables. */
function initOperation({ signatureDef, collectionDef }: MetaGraphDef): string | undefined {
  const named = signatureDef.get(INIT_OP_SIGNATURE)?.outputs.get(INIT_OP_SIGNATURE)?.encoding;
  if (named?.$case === "name") return nodeOf(named.value);
  const [listed] = [
    ...namesIn(collectionDef, "saved_model_main_op"),
    ...namesIn(collectionDef, "legacy_init_op"),
  ];
  return listed === undefined ? undefined : nodeOf(listed);
}

/** Whether a node changes state, so that its inputs are the values of a load. */
function acts(node: NodeDef, flat: FlatGraph): boolean {
  const def = flat.ops.require(node.op);
  return def.isStateful || def.inputArg.some(({ isRef }) => isRef) || def.outputArg.length === 0;
}

class LoadPlanner {
  readonly nodes: NodeDef[] = [];
  readonly loads: CheckpointLoad[] = [];
  readonly #flat: FlatGraph;
  readonly #prefix: string;
  /** The values by "node:output" of the operation that would read them. */
  readonly #values = new Map<string, CheckpointValue>();
  /** Names of the plan's own copies. */
  readonly #copies = new Map<string, string>();
  /** Loads by their values: two operations on the same value share a load. */
  readonly #byValue = new Map<
    string,
    { values: Set<CheckpointValue>; targets: string[]; states: string[]; variables: string[] }
  >();

  constructor(flat: FlatGraph, prefix: string) {
    this.#flat = flat;
    this.#prefix = prefix;
    for (const node of flat.nodes) {
      if (node.op === "NoOp" || isRestore(node) || !acts(node, flat)) continue;
      const values = this.#valuesBehind(node);
      if (values.size > 0) this.#addLoad(node, values);
    }
    for (const { values, targets, states, variables } of new Set(this.#byValue.values())) {
      this.loads.push({ values: [...values], targets, states, variables });
    }
  }

  #addLoad(node: NodeDef, values: ReadonlySet<CheckpointValue>): void {
    const target = this.#copy(node);
    const joined = {
      values: new Set(values),
      targets: [target],
      states: [this.#stateOf(node, values)],
      variables: [stateName(this.#holderOf(node))],
    };
    for (const value of values) {
      const other = this.#byValue.get(value.feed);
      if (!other || other === joined) continue;
      for (const one of other.values) joined.values.add(one);
      joined.targets.push(...other.targets.filter((name) => !joined.targets.includes(name)));
      joined.states.push(...other.states.filter((state) => !joined.states.includes(state)));
      joined.variables.push(...other.variables);
    }
    for (const value of joined.values) this.#byValue.set(value.feed, joined);
  }

  /** The variable or table that a node changes. */
  #holderOf(node: NodeDef): NodeDef {
    return this.#flat.sources(node)[0]?.node ?? node;
  }

  /** Identifies the modified state, as far as the graph determines it, and its new value. */
  #stateOf(node: NodeDef, values: ReadonlySet<CheckpointValue>): string {
    const holder = this.#holderOf(node);
    const name = stateName(holder);
    const given = [...values].map(({ key, slice }) => `${key}${slice === "" ? "" : `[${slice}]`}`);
    return JSON.stringify([node.op, name, holder.device, given]);
  }

  /** The values that a node's inputs are computed from without an intermediate state change. */
  #valuesBehind(node: NodeDef, seen = new Set<string>()): Set<CheckpointValue> {
    const found = new Set<CheckpointValue>();
    for (const source of this.#flat.sources(node)) {
      if (isRestore(source.node)) {
        found.add(this.#value(source));
        continue;
      }
      if (seen.has(source.node.name) || acts(source.node, this.#flat)) continue;
      seen.add(source.node.name);
      for (const value of this.#valuesBehind(source.node, seen)) found.add(value);
    }
    return found;
  }

  #value(source: Source): CheckpointValue {
    const id = inputText(source);
    const known = this.#values.get(id);
    if (known) return known;
    const { node, output } = source;
    if (node.op !== "RestoreV2") {
      throw unimplemented(
        `${node.name} reads a checkpoint of an old format (${node.op}), which cannot be read here.`,
      );
    }
    const [, names, slices] = this.#flat.sources(node);
    const types = node.attr.get("dtypes")?.value;
    const type = types?.$case === "list" ? types.value.type[output] : undefined;
    const key = textIn(names?.node, output);
    const slice = textIn(slices?.node, output);
    if (key === undefined || slice === undefined || type === undefined) {
      throw unimplemented(
        `${node.name} computes which values it restores, so they cannot be read beforehand.`,
      );
    }
    const name = `${this.#prefix}value_${this.#values.size}`;
    const dtype = dtypeOf(type);
    const value = { feed: tensorName(name), key, slice, dtype };
    this.nodes.push(makeNodeDef(name, "Placeholder", [["dtype", typeAttr(dtype)]]));
    this.#values.set(id, value);
    return value;
  }

  /** A copy that reads the fed values. @returns its name */
  #copy(node: NodeDef): string {
    const known = this.#copies.get(node.name);
    if (known !== undefined) return known;
    const name = `${this.#prefix}step_${this.#copies.size}`;
    this.#copies.set(node.name, name);
    const input = this.#flat.sources(node).map((source) => {
      if (isRestore(source.node)) return nodeOf(this.#value(source).feed);
      const mustCopy = this.#flat.isMade(source.node.name) || this.#valuesBehind(source.node).size > 0;
      return mustCopy
        ? inputText({ node: { name: this.#copy(source.node) }, output: source.output })
        : inputText(source);
    });
    this.nodes.push({ ...node, name, device: "", input, attr: withoutPlace(node.attr) });
    return name;
  }
}
