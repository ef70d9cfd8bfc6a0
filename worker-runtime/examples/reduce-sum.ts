/** `reduce-sum.ts clusterspec.json`: 1,000 ones are added up on two workers and kept on a parameter server. */
import { reduceSumGraph } from "../graph/examples/reduce-sum.js";
import { Session, Tensor } from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf, whoRan } from "./program.js";

export const main: Program = async ([file], { say }) => {
  const graph = graphOf(reduceSumGraph());
  const config = { allowSoftPlacement: true, logDevicePlacement: true };
  const session = new Session(targetOf(readCluster(file)), { graph, config });
  await session.run([], { targets: ["init"] });
  const feeds = { "input:0": Tensor.of(new Array<number>(1000).fill(1), "int32") };
  const { values, metadata } = await session.run(["keep:0"], { feeds, options: { trace: true } });
  say(`sum: ${values[0]?.item()}`);
  say(`total is on ${graph.node.find(({ name }) => name === "total")?.device}`);
  for (const line of whoRan(metadata, ["portion_0", "portion_1"], graph)) say(line);
  await session.close();
};

await runIfStarted(import.meta.url, main);
