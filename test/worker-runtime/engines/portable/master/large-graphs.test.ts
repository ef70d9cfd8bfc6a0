import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import * as masterProto from "../../../../../protos/generated/tensorflow/master.js";
import type { RegisterGraphRequest } from "../../../../../protos/generated/tensorflow/worker.js";
import { compilingGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-graph.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { foldConstants } from "../../../../../worker-runtime/engines/portable/master/constant-folding.js";
import { partitionGraph } from "../../../../../worker-runtime/engines/portable/master/partition.js";
import { SessionGraph } from "../../../../../worker-runtime/engines/portable/master/session-graph.js";
import { makeStepGraph } from "../../../../../worker-runtime/engines/portable/master/step-graph.js";
import type { PausingWork } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { FakeCluster } from "./fake-cluster.js";
import { constant, graphOf, identity, placeholder } from "./node-makers.js";
import { clientDevice, devicesNamed, signature, stepGraph, WORKER_0 } from "./session-parts.js";

const COUNT = 5000;
/** Each of the passes over a graph of so many nodes pauses at least so often. */
const LEAST_PAUSES = COUNT / 256;

const chain = (name: string, source: string) =>
  Array.from({ length: COUNT }, (_, i) => identity(`${name}${i}`, i === 0 ? source : `${name}${i - 1}`));
const never = () => ({ signal: new AbortController().signal });

/** Does work to its end. @param atPause called at every pause. */
function finish<T>(
  work: PausingWork<T>,
  atPause?: () => void,
): { readonly value: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = work.next();
    if (done === true) {
      return { value, pauses };
    }
    atPause?.();
  }
}

function emptyGraph(): SessionGraph {
  const placement = {
    devices: devicesNamed([WORKER_0]),
    kernels: createKernelRegistry(),
    softPlacement: false,
  };
  return new SessionGraph({ ops: bundledOpRegistry(), placement, maxNodes: 10 * COUNT });
}

test("all that is done with a large graph before its first step pauses again and again", () => {
  const graph = emptyGraph();
  expect(finish(graph.begin(graphOf(placeholder("p"), ...chain("n", "p")))).pauses).toBeGreaterThan(
    5 * LEAST_PAUSES,
  );
  const { ops } = graph;
  const wanted = signature({ fetches: [`n${COUNT - 1}:0`], feeds: ["p:0"] });
  const step = finish(
    makeStepGraph({ graph, signature: wanted, ops, facts: createKernelRegistry(), clientDevice }),
  );
  expect(step.pauses).toBeGreaterThan(LEAST_PAUSES);
  const folded = finish(foldConstants(step.value, { kernels: createKernelRegistry(), ops }));
  expect(folded.pauses).toBeGreaterThan(LEAST_PAUSES);
  const tools = {
    ops,
    kernels: createKernelRegistry(),
    isPartial: false,
    newName: (prefix: string) => prefix,
    incarnationOf: () => 1n,
  };
  const cut = finish(partitionGraph(folded.value, tools));
  expect(cut.pauses).toBeGreaterThan(LEAST_PAUSES);
  const [partition] = cut.value;
  expect(partition?.nodes).toHaveLength(COUNT + 2);
  const options = { ops, kernels: createKernelRegistry(), defaultDevice: WORKER_0 };
  const compiled = finish(compilingGraph(partition?.nodes ?? [], options));
  expect(compiled.pauses).toBeGreaterThan(5 * LEAST_PAUSES);
  expect(compiled.value.nodes).toHaveLength(COUNT + 2);
});

test("a graph that grows is whole at every pause: a step on what was there can be made", () => {
  const graph = emptyGraph();
  finish(graph.begin(graphOf(constant("k", 1), identity("x", "k"))));
  const growth = graph.extend(graphOf(...chain("n", "x")), 0n);
  const sizes = new Set<number>();
  const { value } = finish(growth, () => {
    sizes.add(graph.nodes.size);
    expect(graph.nodes.size).toBeLessThanOrEqual(graph.devices.size);
    expect([...stepGraph(graph, { fetches: ["x:0"] }).nodes.keys()]).toEqual(["k", "x", "_send_x_0"]);
  });
  expect(value).toBe(1n);
  expect([...sizes].slice(0, 1)).toEqual([2]);
  expect(graph.nodes.size).toBe(COUNT + 2);
});

test("two extensions at a time: the second finds another version than it expected", async () => {
  const cluster = new FakeCluster();
  const sessionHandle = await cluster.createSession(graphOf(constant("k", 1)));
  const extend = (name: string) =>
    cluster.master.extendSession(
      masterProto.ExtendSessionRequest.fromPartial({ sessionHandle, graphDef: graphOf(...chain(name, "k")) }),
      never(),
    );
  const [first, second] = await Promise.allSettled([extend("a"), extend("b")]);
  expect(first).toMatchObject({ status: "fulfilled", value: { newGraphVersion: 1n } });
  expect(second).toMatchObject({
    status: "rejected",
    reason: { code: StatusCode.ABORTED, message: "Current version is 1 but caller expected 0." },
  });
});

test("others have their turns while a session with a large graph is opened and its first step is prepared", async () => {
  const cluster = new FakeCluster();
  let turns = 0;
  let isDone = false;
  const work = (async () => {
    const nodes = [constant("k", 1), ...chain("a", "k"), ...chain("b", "k"), ...chain("c", "k")];
    const sessionHandle = await cluster.createSession(graphOf(...nodes));
    const turnsOfOpening = turns;
    const request = { sessionHandle, fetch: ["a4999:0", "b4999:0", "c4999:0"] };
    await cluster.master.runStep(masterProto.RunStepRequest.fromPartial(request), never());
    return turnsOfOpening;
  })().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns += 1;
  }
  const turnsOfOpening = await work;
  expect(turnsOfOpening).toBeGreaterThan(1);
  expect(turns - turnsOfOpening).toBeGreaterThan(1);
  const [registered] = cluster.requests<RegisterGraphRequest>("registerGraph", "/job:worker");
  expect(registered?.graphDef?.node).toHaveLength(3 * COUNT + 4);
});
