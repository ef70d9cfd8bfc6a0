/** The kernels that the open graph's tasks lack. Recomputed when the graph, its pins or the cluster change. */
import { create } from "zustand";
import { KernelCatalogue } from "../kernels/kernel-catalogue.js";
import { KernelNeeds } from "../kernels/kernel-needs.js";
import {
  type MissingKernels,
  type MissingOnTask,
  NOTHING_MISSING,
  slicedMissingKernels,
} from "../kernels/missing-kernels.js";
import { type ClusterEngines, clusterEngines, hasPortable } from "../kernels/task-engines.js";
import type { KnownKernels } from "../placement/allowed-tasks.js";
import { client } from "../transport/client.js";
import { useApp } from "./app-store.js";
import { Background } from "./background.js";
import { runMachinesOf, useCluster } from "./cluster-store.js";
import { ofGraph, perDocument, recordPerDocument } from "./document-session.js";
import { lookupFor } from "./document-state.js";
import { useDocument } from "./document-store.js";
import { areSame, keepEqual } from "./keep-equal.js";
import { useOps } from "./ops-store.js";
import { useRuntime } from "./runtime-store.js";

export interface KernelCatalogueStore {
  /** Undefined until the cluster involves a portable engine and the application has responded. */
  readonly catalogue: KernelCatalogue | undefined;
}

export const useKernelCatalogue = create<KernelCatalogueStore>()(() => ({ catalogue: undefined }));

export interface KernelStore {
  readonly missing: MissingKernels;
}

export const useKernels = perDocument<KernelStore>(() => ({ missing: NOTHING_MISSING }));

/** The missing kernels of the graph that is shown; nothing is told of nodes within functions. */
export const useGraphKernels = ofGraph(useKernels);

/** The inputs of the newest result for a document. */
interface Comparison {
  looked: readonly unknown[];
  readonly background: Background;
  needs?: { readonly of: readonly unknown[]; readonly value: KernelNeeds };
}

const comparisons = recordPerDocument((): Comparison => ({ looked: [], background: new Background() }));
/** The list has been requested from the application. */
let asked = false;

/** The nodes that a node's task has no kernel for, including that node. */
export function missingAt(node: string): MissingOnTask | undefined {
  const { nodes, tasks } = useKernels.getState().missing;
  const name = nodes.get(node)?.task;
  return name === undefined ? undefined : tasks.find(({ task }) => task.name === name);
}

/** The portable engine's kernels for the open graph; undefined until it was compared. */
export function knownKernels(): KnownKernels | undefined {
  const { catalogue } = useKernelCatalogue.getState();
  const { needs } = comparisons();
  return catalogue && needs ? { catalogue, needs: needs.value } : undefined;
}

/** The engines, and what they were derived from. */
let known: { readonly from: readonly unknown[]; readonly engines: ClusterEngines } | undefined;

/** The current engines; the same object until one of them changes. */
export function currentEngines(): ClusterEngines {
  const machines = runMachinesOf(useCluster.getState());
  const version = useKernelCatalogue.getState().catalogue?.version;
  const searched = useRuntime.getState().state !== undefined;
  const from = [machines, version, searched];
  if (known && areSame(from, known.from)) return known.engines;
  known = { from, engines: keepEqual(known?.engines, clusterEngines(machines, version, searched)) };
  return known.engines;
}

/** Compares the active document with the engines, if either has changed. */
function look(): void {
  const { catalogue } = useKernelCatalogue.getState();
  if (catalogue === undefined) {
    askForCatalogue();
    return;
  }
  const { document } = useDocument.getState();
  const { ops, state: opsState } = useOps.getState();
  const { nodes, metaGraph, runConfig } = document;
  const engines = currentEngines();
  const comparison = comparisons();
  const inputs = [nodes, metaGraph, runConfig.feeds, ops, engines, catalogue];
  if (opsState !== "ready" || areSame(inputs, comparison.looked)) return;
  comparison.looked = inputs;
  const lookup = lookupFor(document);
  let { needs } = comparison;
  if (needs?.of[0] !== metaGraph || needs.of[1] !== ops) {
    needs = {
      of: [metaGraph, ops],
      value: new KernelNeeds(lookup, metaGraph.graphDef?.library?.function ?? []),
    };
    comparison.needs = needs;
  }
  const input = { document, lookup, needs: needs.value, catalogue, engines };
  const work = () => slicedMissingKernels(input);
  comparison.background.start(nodes.size, work, (missing) => {
    if (missing !== useKernels.getState().missing) useKernels.setState({ missing });
  });
}

/** A cluster without a portable engine does not need the list. */
function askForCatalogue(): void {
  const cluster = useCluster.getState();
  if (asked || cluster.state === undefined || !hasPortable({ machines: runMachinesOf(cluster) })) return;
  asked = true;
  client()
    .call("kernels.list")
    .then((list) => useKernelCatalogue.setState({ catalogue: new KernelCatalogue(list) }))
    .catch(() => {
      // Nothing is marked then, and a run reports what is missing. Only a lost connection is retried.
      asked = useApp.getState().connection === "connected";
    });
}

/** Keeps the store in sync with the document and the cluster. Called once at start. */
export function watchKernels(): void {
  for (const store of [useDocument, useCluster, useOps, useRuntime, useKernelCatalogue])
    store.subscribe(look);
  look();
}
