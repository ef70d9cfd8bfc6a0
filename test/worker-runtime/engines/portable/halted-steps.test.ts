/** Steps that are ended while nodes wait, over two workers of our own in this process. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeServerDef } from "../../../../worker-runtime/cluster/server-def.js";
import { PortableServer } from "../../../../worker-runtime/engines/portable/portable-server.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import { StatusCode, type TensorFlowError } from "../../../../worker-runtime/protocol/status.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { freePort } from "../../../support/peers.js";

const TASKS = [0, 1].map((index) => `/job:worker/replica:0/task:${index}`);
let servers: PortableServer[] = [];
let target = "";

beforeAll(async () => {
  const worker = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  target = `grpc://${worker[0]}`;
  servers = await Promise.all(
    worker.map((_, taskIndex) =>
      PortableServer.start({
        serverDef: makeServerDef({ cluster: { worker }, jobName: "worker", taskIndex }),
        log: () => {},
      }),
    ),
  );
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** A sum on the first task of what is taken out of an empty queue on the second. */
function waitingGraph() {
  const graph = new Graph();
  const taken = graph.withDevice(TASKS[1] ?? "", () => {
    const queue = graph.op("FIFOQueueV2", [], {
      component_types: ["float32"],
      shapes: [[]],
      shared_name: "empty",
    });
    return graph.op("QueueDequeueV2", [queue.output], { component_types: ["float32"] }, "take").outputAt(0);
  });
  return {
    graph,
    sum: graph.withDevice(TASKS[0] ?? "", () => graph.op("AddV2", [taken, taken], {}, "sum").output),
  };
}

const waitingLines = (error: TensorFlowError): string[] =>
  error.message.split("\n").filter((line) => line.includes("{{node "));

test("a deadline says of every task which nodes wait and for what", async () => {
  const { graph, sum } = waitingGraph();
  const session = new Session(target, { graph: graph.toGraphDef() });
  const error: TensorFlowError = await session
    .run([sum], { options: { timeoutMillis: 300 } })
    .then(() => Promise.reject(new Error("it ended")))
    .catch((thrown) => thrown);
  expect(error.code).toBe(StatusCode.DEADLINE_EXCEEDED);
  expect(error.message).toContain("The step did not end within 300 ms");
  expect(waitingLines(error).sort()).toEqual([
    expect.stringMatching(
      `^  ${TASKS[0]}: {{node .*}} \\(_Recv\\) waits for "edge_\\d+_take", which ${TASKS[1]} sends$`,
    ),
    expect.stringMatching(
      `^  ${TASKS[1]}: {{node take}} \\(QueueDequeueV2\\) waits for the Queue "empty" of ${TASKS[1]}/`,
    ),
  ]);
  await session.close();
});
