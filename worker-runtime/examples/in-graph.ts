/** `in-graph.ts clusterspec.json [steps]`: in-graph replication, a replica of the model on each worker. */
import { inGraphReplication } from "../graph/examples/parameter-servers.js";
import { type Program, runIfStarted } from "./program.js";
import { trainOn } from "./train-on.js";

export const main: Program = ([file, steps = "200"], surroundings) =>
  trainOn(file, inGraphReplication(), Number(steps), surroundings);

await runIfStarted(import.meta.url, main);
