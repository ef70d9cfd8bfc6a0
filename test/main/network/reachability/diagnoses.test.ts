/** Each diagnosis once where it is right and once where it would be wrong. */
import { describe, expect, test } from "vitest";
import { type DiagnosisId, diagnose, rules } from "../../../../main/network/reachability/diagnoses.js";
import { addressesCases } from "./diagnoses/addresses.js";
import { gpusCases } from "./diagnoses/gpus.js";
import { healthCases } from "./diagnoses/health.js";
import { logsCases } from "./diagnoses/logs.js";
import { networkCases } from "./diagnoses/network.js";
import { sessionsCases } from "./diagnoses/sessions.js";
import { type DiagnosisCase, one, refused } from "./support/diagnosis-cases.js";
import { logOf, machine, route, situation, task } from "./support/situations.js";

const cases: { readonly [id in DiagnosisId]: DiagnosisCase } = {
  ...addressesCases,
  ...networkCases,
  ...healthCases,
  ...gpusCases,
  ...logsCases,
  ...sessionsCases,
};

describe.each(Object.entries(cases))("%s", (id, { wrong, message, severity, machineId, taskId, right }) => {
  test("is recognised, and told with what to do", () => {
    const found = diagnose(wrong).filter((diagnosis) => diagnosis.id === id);
    expect(found.map(({ problem }) => problem.message)).toEqual([expect.stringMatching(message)]);
    expect(found[0]?.severity).toBe(severity);
    if (machineId !== undefined) expect(found[0]?.machineId).toBe(machineId);
    if (taskId !== undefined) expect(found[0]?.taskId).toBe(taskId);
    for (const text of [found[0]?.problem.reason, found[0]?.problem.remedy]) {
      if (text !== undefined) expect(text).toMatch(/[.!?…]$/);
    }
  });

  test("is not seen where it is not so", () => {
    expect(diagnose(right).map((diagnosis) => diagnosis.id)).not.toContain(id);
  });
});

test("every rule has a case, and nothing is made of an empty cluster", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(rules).sort());
  expect(diagnose(situation([]))).toEqual([]);
});

test("errors are told before warnings, and warnings before the rest", () => {
  const severities = diagnose({
    ...one({ address: "gpu-pc" }),
    exposures: [{ code: "OK", message: "Open." }],
  }).map(({ severity }) => severity);
  expect(severities).toEqual(["error", "warning", "info"]);
});

test("a session that waits names the layer that fails", () => {
  const [found] = diagnose(
    situation([machine("gpu-pc", [task("worker/0")]), machine("raspberrypi", [task("ps/0")])], {
      logs: logOf("worker/0", [
        "CreateSession still waiting for response from worker: /job:ps/replica:0/task:0",
      ]),
      routes: [route("gpu-pc", "raspberrypi", { taskId: "ps/0", outcome: "failed", problem: refused })],
    }),
  ).filter(({ id }) => id === "session-still-waiting");
  expect(found?.problem.reason).toBe(refused.message);
  expect(found?.problem.remedy).toBe(refused.remedy);
});
