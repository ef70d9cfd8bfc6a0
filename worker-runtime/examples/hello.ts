/** Hello, distributed TensorFlow: `hello.ts` says it by a server of its own, `hello.ts clusterspec.json` also by a cluster. */
import { helloGraph } from "../graph/examples/first-graphs.js";
import { Graph, ops, Session } from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf } from "./program.js";

export const main: Program = async ([file], { say }) => {
  const graph = new Graph();
  const text = ops.constant(graph, "Hello, distributed TensorFlow!");
  // Without a target a session starts a local server.
  const local = new Session(undefined, { graph });
  say(textOf((await local.run([text])).values[0]?.data[0]));
  await local.close();

  if (file === undefined) return;
  const session = new Session(targetOf(readCluster(file)), { graph: graphOf(helloGraph()) });
  say(textOf((await session.run(["hello:0"])).values[0]?.data[0]));
  await session.close();
};

function textOf(bytes: unknown): string {
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : String(bytes);
}

await runIfStarted(import.meta.url, main);
