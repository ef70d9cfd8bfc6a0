/** Plans what a SavedModel runs after its variables are restored: mostly the initialization of its tables. Pure. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { makeNodeDef } from "../../engines/portable/master/graph-node.js";
import { typeAttr } from "../../graph/attr-values.js";
import { tensorName } from "../../graph/edge.js";
import { type DType, dtypeOf } from "../../protocol/dtype.js";
import type { Assets } from "./assets.js";
import { type FlatGraph, inputText, type Source } from "./flat-graph.js";
import { withoutPlace } from "./without-place.js";

/** A table that is initialized from an asset file. */
export interface TableLoad {
  /** Name of the file. */
  readonly asset: string;
  readonly keys: string;
  readonly values: string;
  readonly keyType: DType;
  readonly valueType: DType;
  /** As in the attributes of InitializeTableFromTextFileV2. */
  readonly keyIndex: number;
  readonly valueIndex: number;
  readonly vocabSize: number;
  readonly delimiter: string;
  readonly offset: number;
  readonly target: string;
}

export interface PlannedStart {
  readonly tables: readonly TableLoad[];
  /** The operation that does the rest, and the tensors to which asset paths are fed. */
  readonly start: { readonly target: string; readonly assets: Assets } | undefined;
}

/** @param flat the dependencies of the operation `init` */
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
  /** Nodes that are omitted because a load replaces them. */
  readonly #replaced = new Set<string>();
  /** The name of a node, or of its copy, in the session's graph. */
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

  /** The nodes to run for a node; undefined if nothing is left of it. */
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

  /** The asset whose path a tensor holds, directly or through a variable that it is assigned to. */
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

  /** Whether a node has nothing left to do: it was replaced, or it only waits for such nodes. */
  #isEmpty(name: string): boolean {
    if (this.#replaced.has(name)) return true;
    const node = this.#flat.get(name);
    return node?.op === "NoOp" && this.#flat.controls(node).every((control) => this.#isEmpty(control));
  }

  /** The name under which to run a node; it is copied if it or a dependency is not in the graph in this form. */
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
