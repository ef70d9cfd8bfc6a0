/** What a SavedModel has run once its variables have their values: mostly that its tables are filled. Pure. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { makeNodeDef } from "../../engines/portable/master/graph-node.js";
import { typeAttr } from "../../graph/attr-values.js";
import { tensorName } from "../../graph/edge.js";
import { type DType, dtypeOf } from "../../protocol/dtype.js";
import type { Assets } from "./assets.js";
import { type FlatGraph, inputText, type Source } from "./flat-graph.js";
import { withoutPlace } from "./without-place.js";

/** A table that is filled with what a file of the assets holds. */
export interface TableLoad {
  /** Name of the file. */
  readonly asset: string;
  readonly keys: string;
  readonly values: string;
  readonly keyType: DType;
  readonly valueType: DType;
  /** As the attributes of InitializeTableFromTextFileV2. */
  readonly keyIndex: number;
  readonly valueIndex: number;
  readonly vocabSize: number;
  readonly delimiter: string;
  readonly offset: number;
  readonly target: string;
}

export interface PlannedStart {
  readonly tables: readonly TableLoad[];
  /** The operation that does the rest, and the tensors that take the path of an asset. */
  readonly start: { readonly target: string; readonly assets: Assets } | undefined;
}

/** @param flat what the operation `init` needs */
export function planStart(
  flat: FlatGraph,
  init: string,
  assets: Assets,
  prefix: string,
): PlannedStart & { readonly nodes: readonly NodeDef[] } {
  const planner = new StartPlanner(flat, assets, prefix);
  const target = planner.target(init);
  const used = [...assets].filter(([tensor]) => flat.get(tensor.replace(/:\d+$/, "")) !== undefined);
  const start = target === undefined ? undefined : { target, assets: new Map(used) };
  return { nodes: planner.nodes, tables: planner.tables, start };
}

class StartPlanner {
  readonly nodes: NodeDef[] = [];
  readonly tables: TableLoad[] = [];
  readonly #flat: FlatGraph;
  readonly #assets: Assets;
  readonly #prefix: string;
  /** Nodes that are left out, because a load takes their place. */
  readonly #replaced = new Set<string>();
  /** What a node is called in the session's graph: itself, or its copy. */
  readonly #names = new Map<string, string>();

  constructor(flat: FlatGraph, assets: Assets, prefix: string) {
    this.#flat = flat;
    this.#assets = assets;
    this.#prefix = prefix;
    for (const node of flat.nodes) {
      const load = this.#tableLoad(node);
      if (!load) continue;
      this.tables.push(load);
      this.#replaced.add(node.name);
    }
  }

  /** What is to be run for a node; undefined when nothing is left of it. */
  target(name: string): string | undefined {
    const ends = this.#flat.ends(name).filter((end) => !this.#isEmpty(end));
    const [only, ...more] = ends;
    if (only === undefined) return undefined;
    if (more.length === 0) return this.#named(only);
    const group = `${this.#prefix}start`;
    this.nodes.push({ ...makeNodeDef(group, "NoOp"), input: ends.map((end) => `^${this.#named(end)}`) });
    return group;
  }

  #tableLoad(node: NodeDef): TableLoad | undefined {
    if (!/^InitializeTableFromTextFile(V2)?$/.test(node.op)) return undefined;
    const [table, filename] = this.#flat.sources(node);
    const asset = filename && this.#assetOf(filename);
    const keyType = typeOf(table?.node, "key_dtype");
    const valueType = typeOf(table?.node, "value_dtype");
    if (!table || asset === undefined || !keyType || !valueType || this.#flat.isMade(table.node.name))
      return undefined;
    const base = `${this.#prefix}table_${this.tables.length}`;
    const [keys, values] = [`${base}/keys`, `${base}/values`];
    this.nodes.push(
      makeNodeDef(keys, "Placeholder", [["dtype", typeAttr(keyType)]]),
      makeNodeDef(values, "Placeholder", [["dtype", typeAttr(valueType)]]),
      {
        ...makeNodeDef(base, node.op.replace("FromTextFile", ""), [
          ["Tkey", typeAttr(keyType)],
          ["Tval", typeAttr(valueType)],
        ]),
        input: [inputText(table), keys, values],
      },
    );
    const int = (name: string, otherwise: number) => {
      const value = node.attr.get(name)?.value;
      return value?.$case === "i" ? Number(value.value) : otherwise;
    };
    const delimiter = node.attr.get("delimiter")?.value;
    return {
      asset,
      keys: tensorName(keys),
      values: tensorName(values),
      keyType,
      valueType,
      keyIndex: int("key_index", 0),
      valueIndex: int("value_index", 0),
      vocabSize: int("vocab_size", -1),
      offset: int("offset", 0),
      delimiter: delimiter?.$case === "s" ? new TextDecoder().decode(delimiter.value) : "\t",
      target: base,
    };
  }

  /** The asset whose path a tensor holds, also by way of a variable that is assigned it. */
  #assetOf({ node, output }: Source): string | undefined {
    const named = this.#assets.get(tensorName(node.name, output));
    if (named !== undefined || node.op !== "ReadVariableOp") return named;
    const handle = this.#flat.sources(node)[0]?.node.name;
    for (const other of this.#flat.nodes) {
      if (other.op !== "AssignVariableOp") continue;
      const [variable, value] = this.#flat.sources(other);
      if (variable?.node.name === handle && value) return this.#assetOf(value);
    }
    return undefined;
  }

  /** Whether a node does nothing more: it was replaced, or it only waits for such nodes. */
  #isEmpty(name: string): boolean {
    if (this.#replaced.has(name)) return true;
    const node = this.#flat.get(name);
    return node?.op === "NoOp" && this.#flat.controls(node).every((control) => this.#isEmpty(control));
  }

  /** The name to run a node by; it is copied where it, or what it needs, is not in the graph as it is to be run. */
  #named(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const node = this.#flat.get(name);
    if (!node) return name;
    const sources = this.#flat.sources(node);
    const controls = this.#flat.controls(node);
    const kept = [
      ...new Set(
        controls.filter((control) => !this.#isEmpty(control)).map((control) => this.#named(control)),
      ),
    ];
    const data = sources.map((source) => ({
      node: { name: this.#named(source.node.name) },
      output: source.output,
    }));
    const same =
      !this.#flat.isMade(name) &&
      kept.length === controls.length &&
      controls.every((control) => kept.includes(control)) &&
      data.every(({ node: { name: now } }, i) => now === sources[i]?.node.name);
    if (same) {
      this.#names.set(name, name);
      return name;
    }
    const copy = this.#flat.isMade(name) ? name : `${this.#prefix}${name}`;
    this.#names.set(name, copy);
    const input = [...data.map(inputText), ...kept.map((control) => `^${control}`)];
    this.nodes.push({ ...node, name: copy, device: "", input, attr: withoutPlace(node.attr) });
    return copy;
  }
}

function typeOf(node: NodeDef | undefined, attr: string): DType | undefined {
  const value = node?.attr.get(attr)?.value;
  return value?.$case === "type" ? dtypeOf(value.value) : undefined;
}
