/**
 * A GPU PC computes for a Raspberry Pi: a = 3, b = 2, x = a + b, y = a · b, z = x + y, first in this process, then on the
 * machines of a clusterspec.json, where generic-worker.ts or generic-worker.py was started for each task.
 */
import { sumsGraph } from "../graph/examples/first-graphs.js";
import { Session, unoptimizedConfig } from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf, whoRan } from "./program.js";

export const main: Program = async ([file], { say }) => {
  const alone = new Session(undefined, { graph: graphOf(sumsGraph()) });
  say(`here: ${Number((await alone.run(["z:0"])).values[0]?.item()).toFixed(1)}`);
  await alone.close();

  const cluster = readCluster(file);
  const compute = async (what: string, ...devices: string[]) => {
    const graph = graphOf(sumsGraph(...devices));
    // A master that optimizes would compute all beforehand, as it comes from constants. Where there is no GPU, a CPU will do.
    const config = { ...unoptimizedConfig(), allowSoftPlacement: true, logDevicePlacement: true };
    const session = new Session(targetOf(cluster), { graph, config });
    const { values, metadata } = await session.run(["z:0"], { options: { trace: true } });
    say(`${what}: ${Number(values[0]?.item()).toFixed(1)}`);
    for (const line of whoRan(metadata, ["x", "y", "z"], graph)) say(line);
    await session.close();
  };
  await compute("on one machine", "/job:worker/task:0");
  await compute("on its GPU, if it has one", "/job:worker/task:0/device:GPU:0");
  if (cluster.numTasks("worker") > 1) {
    await compute("on two machines", "/job:worker/task:0", "/job:worker/task:1");
  }
};

await runIfStarted(import.meta.url, main);
