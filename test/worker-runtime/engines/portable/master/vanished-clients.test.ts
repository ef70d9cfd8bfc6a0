/** Sessions whose clients are gone without a word. */
import { afterEach, expect, test, vi } from "vitest";
import { ClientConnection } from "../../../../../worker-runtime/engines/portable/clients/client-connection.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { FakeCluster, untilCancelled } from "./fake-cluster.js";
import { constant, graphOf } from "./node-makers.js";

const never = () => ({ signal: new AbortController().signal });
const graph = graphOf(constant("k", 1, "/job:ps"));
const fetchK = { fetch: ["k:0"] };

afterEach(() => {
  vi.useRealTimers();
});

test("of the sessions whose clients vanished the last are kept for a while; the workers forget the others", async () => {
  vi.useFakeTimers();
  const cluster = new FakeCluster({ maxLostSessions: 1, lostSessionMillis: 1000 });
  const gone = new ClientConnection();
  const first = await cluster.createSession(graph, {}, { connection: gone });
  await cluster.runStep(first, fetchK, never().signal, gone);
  const second = await cluster.createSession(graph, {}, { connection: gone });
  const other = await cluster.createSession(graph, {}, { connection: new ClientConnection() });
  gone.close();
  await vi.advanceTimersByTimeAsync(999);
  expect(cluster.lines).toEqual([`Closing session ${first}, which lost the connection of its client.`]);
  expect(cluster.requests("deleteWorkerSession")).toEqual(Array(3).fill({ sessionHandle: first }));
  await expect(cluster.runStep(first, fetchK)).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    message: `Session ${first} is not found.`,
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(cluster.requests("deleteWorkerSession")).toContainEqual({ sessionHandle: second });
  await cluster.runStep(other, fetchK);
  await cluster.master.closeSession({ sessionHandle: other }, never());
  await cluster.master.close();
});

test("a client that connects again goes on with its session, whatever it asks for", async () => {
  vi.useFakeTimers();
  const cluster = new FakeCluster({ maxLostSessions: 1, lostSessionMillis: 1000 });
  const { master } = cluster;
  const [before, after] = [new ClientConnection(), new ClientConnection()];
  const sessionHandle = await cluster.createSession(graph, {}, { connection: before });
  before.close();
  await vi.advanceTimersByTimeAsync(500);
  await master.listDevices({ sessionHandle }, { ...never(), connection: after });
  await vi.advanceTimersByTimeAsync(1000);
  await cluster.runStep(sessionHandle, fetchK, never().signal, after);
  after.close();
  const again = new ClientConnection();
  const extension = { sessionHandle, graphDef: undefined, currentGraphVersion: 0n };
  await master.extendSession(extension, { ...never(), connection: again });
  await vi.advanceTimersByTimeAsync(1000);
  await master.closeSession({ sessionHandle }, never());
  expect(cluster.lines).toEqual([]);
  await master.close();
});

test("a step ends with the connection that its session had", async () => {
  const cluster = new FakeCluster({ maxLostSessions: 0 });
  const connection = new ClientConnection();
  const handle = await cluster.createSession(graph, {}, { connection });
  cluster.own.onRunGraph = (_, options) => untilCancelled(options);
  const run = cluster.runStep(handle, fetchK, never().signal, connection);
  const step = expect(run).rejects.toMatchObject({ code: StatusCode.ABORTED });
  connection.close();
  await step;
});
