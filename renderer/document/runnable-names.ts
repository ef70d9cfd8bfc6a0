/** Converts what a user types or selects into what is fetched and run. Pure. */
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { texts } from "../texts/texts.js";
import type { GraphDocument, RunConfig } from "./model.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { parseTensorName, tensorName } from "./tensor-names.js";

const words = texts.document.runnableNames;

export type Runnable = Pick<RunConfig, "fetches" | "targets">;

const OPAQUE: ReadonlySet<DataType> = new Set([DataType.DT_RESOURCE, DataType.DT_VARIANT]);
const MAX_SUGGESTED = 50;

/** The purpose of running a node: its values, or its effect if it has none. */
export function runnableOf(document: GraphDocument, lookup: OpLookup, name: string): Runnable {
  const node = document.nodes.get(name);
  const outputs = (node && signatureOf(node, lookup)?.outputs) ?? [];
  const fetches = outputs
    .filter(({ dtype }) => !OPAQUE.has(dtype))
    .map(({ index }) => tensorName(name, index));
  return fetches.length > 0 ? { fetches, targets: [] } : { fetches: [], targets: node ? [name] : [] };
}

/** "z" and "z:0" are fetched, "^train" is run for its effect, as is an operation without values; or why nothing is. */
export function readRunnable(document: GraphDocument, lookup: OpLookup, text: string): Runnable | string {
  const wanted = text.trim();
  const forEffect = wanted.startsWith("^");
  const { node, output } = parseTensorName(forEffect ? wanted.slice(1) : wanted);
  if (!document.nodes.has(node)) return words.noNode({ node });
  if (forEffect) return { fetches: [], targets: [node] };
  const all = runnableOf(document, lookup, node);
  if (!wanted.includes(":")) {
    return all.fetches.length > 0 ? { fetches: all.fetches.slice(0, 1), targets: [] } : all;
  }
  const tensor = tensorName(node, output);
  if (all.fetches.includes(tensor)) return { fetches: [tensor], targets: [] };
  return all.fetches.length === 0 ? words.onlyEffect({ node }) : words.noOutput({ node, output });
}

/** Both, each name once. */
export function joinRunnable(one: Runnable, other: Runnable): Runnable {
  return {
    fetches: [...new Set([...one.fetches, ...other.fetches])],
    targets: [...new Set([...one.targets, ...other.targets])],
  };
}

/** Completions of the text: names that begin with it come first. */
export function completions(document: GraphDocument, lookup: OpLookup, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const beginning: string[] = [];
  const within: string[] = [];
  for (const name of document.nodes.keys()) {
    const at = name.toLowerCase().indexOf(wanted.replace(/^\^/, "").replace(/:\d*$/, ""));
    if (at === 0 && beginning.length < MAX_SUGGESTED) beginning.push(name);
    else if (at > 0 && within.length < MAX_SUGGESTED) within.push(name);
  }
  return [...beginning, ...within].slice(0, MAX_SUGGESTED).flatMap((name) => {
    const { fetches, targets } = runnableOf(document, lookup, name);
    return [...fetches, ...targets];
  });
}
