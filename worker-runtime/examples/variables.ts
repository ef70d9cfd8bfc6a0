/** Where variables are, and how collections list them (VariableDef). Needs no cluster. */
import { Graph, ops, taskText } from "../index.js";
import { type Program, runIfStarted } from "./program.js";

export const main: Program = async (_, { say }) => {
  const graph = new Graph();
  const free = ops.variable(graph, 0, { name: "free" });
  const [first, second] = [0, 1].map((index) =>
    graph.withDevice(taskText({ job: "ps", index }), () => ops.variable(graph, 0, { name: `var${index}` })),
  );
  for (const variable of [free, first, second]) {
    if (variable === undefined) continue;
    say(`${variable.name} is on '${variable.device}'`);
    const { variableName, initializerName, snapshotName } = variable.toProto();
    say(
      `variable_name: ${variableName}, initializer_name: ${initializerName}, snapshot_name: ${snapshotName}`,
    );
  }
};

await runIfStarted(import.meta.url, main);
