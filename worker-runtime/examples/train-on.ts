import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { Session } from "../index.js";
import { graphOf, readCluster, type Surroundings, targetOf } from "./program.js";

/** Trains a document's graph through worker 0 of a cluster, and prints the loss after 1, 10, 100, … steps and at the end. */
export async function trainOn(
  file: string | undefined,
  document: MetaGraphDef,
  steps: number,
  { say }: Surroundings,
): Promise<void> {
  const session = new Session(targetOf(readCluster(file)), { graph: graphOf(document) });
  await session.run([], { targets: ["init"] });
  for (let step = 1, next = 1; step <= steps; step += 1) {
    await session.run([], { targets: ["train"] });
    if (step !== next && step !== steps) continue;
    if (step === next) next *= 10;
    const { values } = await session.run(["loss:0"]);
    say(`after ${step} steps: loss ${Number(values[0]?.item()).toFixed(4)}`);
  }
  await session.close();
}
