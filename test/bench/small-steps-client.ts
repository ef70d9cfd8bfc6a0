/**
 * Runs small steps for the benchmark of Node.js versions. Usage: small-steps-client.ts TARGET. For each line of its input, a
 * number of steps, it writes one: how long each of them took, in milliseconds.
 */
import { createInterface } from "node:readline";
import { Graph, ops, Session } from "../../worker-runtime/index.js";

const graph = new Graph();
const a = ops.placeholder(graph, "float32", [], { name: "a" });
const b = ops.placeholder(graph, "float32", [], { name: "b" });
const sum = ops.add(a, b);
const session = new Session(process.argv[2] ?? "", { graph: graph.toGraphDef() });
const feeds = { "a:0": 3, "b:0": 2 };
try {
  for await (const line of createInterface({ input: process.stdin })) {
    const millis: number[] = [];
    for (let left = Number(line); left > 0; left -= 1) {
      const began = performance.now();
      await session.run([sum], { feeds });
      millis.push(performance.now() - began);
    }
    process.stdout.write(`${JSON.stringify({ millis })}\n`);
  }
} finally {
  await session.close();
}
