/** Clusters in memory that end with the test that made them. */
import { afterEach } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { type MemoryCluster, memoryCluster } from "./memory-cluster.js";

/** A function that makes clusters; they are disposed of after each test of the file that calls this. */
export function openClusters(): typeof memoryCluster {
  const open: MemoryCluster[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ cluster }) => cluster.dispose()));
  });
  return (...args) => {
    const made = memoryCluster(...args);
    open.push(made);
    return made;
  };
}

/** The problem that a promise rejects with. @throws Error when it rejects with something else, or not at all. */
export async function failure(promise: Promise<unknown>): Promise<ProblemError["problem"]> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}
