/** `location.ts clusterspec.json`: which task runs a variable, and which receives its value, from the traces of steps. */
import { placesGraph } from "../graph/examples/variables.js";
import { readStepStats, Session, taskOfDevice } from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf } from "./program.js";

export const main: Program = async ([file], { say }) => {
  const cluster = readCluster(file);
  const graph = graphOf(placesGraph());
  const sessions = [0, 1].map((worker) => new Session(targetOf(cluster, worker), { graph }));
  await sessions[0]?.run([], { targets: ["init"] });
  const steps = [
    ...[0, 1].map((index) => ({ index, node: "var" })),
    ...[0, 1].map((index) => ({ index, node: "var2" })),
    { index: 0, node: "var_add" },
  ];
  for (const { index, node } of steps) {
    const ranOn: string[] = [];
    const receivedBy: string[] = [];
    // Stock servers do not record transfers that end before the request to record them has come: some step has them.
    for (let step = 0; step < 5; step += 1) {
      const result = await sessions[index]?.run([`${node}:0`], { options: { trace: true } });
      const stats = result?.metadata?.stepStats;
      if (stats === undefined) throw new Error("The step has no trace.");
      const { nodes, transfers } = readStepStats(stats, graph);
      ranOn.push(...nodes.filter((one) => one.node === node).map(({ device }) => device));
      receivedBy.push(...transfers.filter(({ timed }) => timed).map(({ toDevice }) => toDevice));
    }
    const [ran, received] = [tasks(ranOn), tasks(receivedBy)];
    const end = received === "" ? "" : `, received by task ${received}`;
    say(`session ${index} asks for ${node}: ran on task ${ran}${end}`);
  }
  await Promise.all(sessions.map((session) => session.close()));
};

/** The indices of the tasks that have these devices. */
function tasks(devices: readonly string[]): string {
  return [...new Set(devices.map((device) => taskOfDevice(device)?.index))].sort().join(" and ");
}

await runIfStarted(import.meta.url, main);
