import { expect, test } from "vitest";
import { KnownFacts } from "../../../../main/network/reachability/known-facts.js";
import { EventHub } from "../../../../main/shared/events.js";

const line = (sequence: number) => ({
  sequence,
  at: sequence,
  level: "info" as const,
  text: `line ${sequence}`,
});
const run = {
  ...{ runId: "r1", step: 0, steps: 1, trace: false, elapsedMillis: 0, currentMillis: 0 },
  ...{ fetches: [], nodes: [], transfers: [] },
};

test("the newest lines of tasks that are there, the run and the environment are known", () => {
  const hub = new EventHub();
  const known = new KnownFacts({
    machineId: () => "gpu-pc",
    listen: hub.listen.bind(hub),
    tasks: () => [
      { id: "worker/0", incarnation: "a1" },
      { id: "worker/1", incarnation: undefined },
    ],
  });
  for (let i = 0; i < 300; i++) hub.emit("taskLog", { taskId: "worker/0", lines: [line(i)] });
  hub.emit("taskLog", { taskId: "gone", lines: [line(0)] });
  hub.emit("run", { ...run, state: "preparing" });
  const began = known.facts().session;
  expect(began).toMatchObject({ state: "opening" });
  const problem = { code: "INVALID_ARGUMENT", message: "no" };
  hub.emit("run", { ...run, state: "failed", problem });

  const { logs, incarnations, session, proxies } = known.facts();
  expect([...(logs?.keys() ?? [])]).toEqual(["worker/0"]);
  expect(logs?.get("worker/0")?.at(-1)?.text).toBe("line 299");
  expect(logs?.get("worker/0")?.length).toBeLessThan(300);
  expect([...(incarnations ?? [])]).toEqual([["worker/0", "a1"]]);
  expect(session).toEqual({ state: "open", since: began?.since, problem });
  expect(proxies?.[0]?.machineId).toBe("gpu-pc");

  known.dispose();
  hub.emit("run", { ...run, runId: "r2", state: "running" });
  expect(known.facts().session).toEqual(session);
});
