/** `layers-on-servers.ts clusterspec.json [steps]`: model parallelism, each layer's variables on a parameter server. */
import { layersOnServersGraph } from "../graph/examples/parameter-servers.js";
import { type Program, runIfStarted } from "./program.js";
import { trainOn } from "./train-on.js";

export const main: Program = ([file, steps = "10000"], surroundings) =>
  trainOn(file, layersOnServersGraph(), Number(steps), surroundings);

await runIfStarted(import.meta.url, main);
