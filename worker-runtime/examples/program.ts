/** Parts that the programs of this folder share. Their graphs are those of the window's gallery: ../graph/examples. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { type ClusterSpec, GraphDef, parseClusterJson, type RunMetadata, readStepStats } from "../index.js";

/** The surroundings of a program. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints a line. */
  readonly say: (line: string) => void;
  /** Ends a program that would run for ever. */
  readonly signal?: AbortSignal | undefined;
}

export type Program = (args: readonly string[], surroundings: Surroundings) => Promise<void>;

/** Runs the program if its module is what the user started. */
export async function runIfStarted(url: string, program: Program): Promise<void> {
  const [, started, ...args] = process.argv;
  if (started === undefined || url !== pathToFileURL(started).href) return;
  await program(args, { env: process.env, say: console.log });
}

/** The cluster in a clusterspec.json. */
export function readCluster(file = "clusterspec.json"): ClusterSpec {
  return parseClusterJson(readFileSync(file, "utf8"), file);
}

/** The options with which a session uses a worker of the cluster as its master. */
export function targetOf(cluster: ClusterSpec, worker = 0): string {
  return `grpc://${cluster.taskAddress("worker", worker)}`;
}

/** The graph of a document. */
export function graphOf({ graphDef }: MetaGraphDef): GraphDef {
  return graphDef ?? GraphDef.create();
}

/** Where nodes ran, from the trace of a step: "z ran on /job:worker/replica:0/task:1/device:CPU:0". */
export function whoRan(
  metadata: RunMetadata | undefined,
  names: readonly string[],
  graph: GraphDef,
): string[] {
  const nodes = metadata?.stepStats === undefined ? [] : readStepStats(metadata.stepStats, graph).nodes;
  return names.flatMap((name) => {
    const found = nodes.find(({ node }) => node === name);
    return found === undefined ? [] : [`${name} ran on ${found.device}`];
  });
}
