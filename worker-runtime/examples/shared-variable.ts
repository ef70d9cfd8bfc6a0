/** `shared-variable.ts clusterspec.json`: local sessions have variables of their own, sessions of one cluster share them. */
import { placesGraph } from "../graph/examples/variables.js";
import { Graph, ops, Session } from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf } from "./program.js";

export const main: Program = async ([file], { say }) => {
  const graph = new Graph();
  const variable = ops.variable(graph, 0, { name: "var" });
  const add = ops.assignAdd(variable, 1);
  const init = ops.globalVariablesInitializer(graph);
  const local = [0, 1].map(() => new Session(undefined, { graph }));
  await Promise.all(local.map((session) => session.run([], { targets: [init] })));
  await local[0]?.run([add]);
  say(`local sessions: ${await inEach(local, variable.value.name)}`);
  await Promise.all(local.map((session) => session.close()));

  const cluster = readCluster(file);
  const places = graphOf(placesGraph());
  const sessions = [0, 1].map((worker) => new Session(targetOf(cluster, worker), { graph: places }));
  // Each may run the initializer; the last one wins.
  for (const session of sessions) await session.run([], { targets: ["init"] });
  await sessions[0]?.run(["var_add:0"]);
  say(`sessions of one cluster: ${await inEach(sessions, "var:0")}`);
  await Promise.all(sessions.map((session) => session.close()));
};

async function inEach(sessions: readonly Session[], tensor: string): Promise<string> {
  const results = await Promise.all(sessions.map((session) => session.run([tensor])));
  return results.map(({ values }) => Number(values[0]?.item()).toFixed(1)).join(" and ");
}

await runIfStarted(import.meta.url, main);
