/**
 * Programs of stock TensorFlow users on clusters of ours, of theirs, and of both: scripts/scenarios.py gives the same on
 * all of them.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../support/peers.js";
import { type Engine, runScenarios, type StartedCluster, startCluster } from "./clusters.js";

const scenarios = [
  "model_parallel",
  "loops",
  "optimizers",
  "keras",
  "between_graph",
  "synchronous",
  "queue_runners",
  "checkpoints",
] as const;

const mixtures: Readonly<Record<string, (task: string) => Engine>> = {
  "our servers alone": () => "portable",
  "stock masters with our parameter servers": (task) => (task.startsWith("worker") ? "stock" : "portable"),
  "our masters with stock parameter servers": (task) => (task.startsWith("worker") ? "portable" : "stock"),
  "one of each in either job": (task) => (task.endsWith("0") ? "portable" : "stock"),
};

const jobs = { ps: 2, worker: 2 };

describe.skipIf(peerMissing("tensorflow"))("stock Python programs", () => {
  let expected: Record<string, unknown>;

  beforeAll(async () => {
    const stock = await startCluster(jobs, () => "stock");
    try {
      expected = await runScenarios(stock, scenarios);
    } finally {
      await stock.stop();
    }
  });

  describe.each(Object.entries(mixtures))("on %s", (_, engineOf) => {
    let cluster: StartedCluster;
    let results: Record<string, unknown>;

    beforeAll(async () => {
      cluster = await startCluster(jobs, engineOf);
      results = await runScenarios(cluster, scenarios);
    });
    afterAll(() => cluster?.stop());

    test.each(scenarios)("%s gives what it gives on stock servers", (scenario) => {
      expect(differences(expected[scenario], results[scenario])).toEqual([]);
    });
  });
});

/** Losses after some steps of training, with the roundings of all before. */
const RELATIVE_TOLERANCE = 2e-3;

/** Where two results of a scenario differ, as paths with both values. */
function differences(wanted: unknown, given: unknown, at = ""): string[] {
  if (typeof wanted === "number" && typeof given === "number") {
    const close = Math.abs(wanted - given) <= RELATIVE_TOLERANCE * Math.max(1e-2, Math.abs(wanted));
    return close ? [] : [`${at}: expected ${wanted}, got ${given}`];
  }
  if (typeof wanted === "object" && typeof given === "object" && wanted !== null && given !== null) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(given)]);
    return [...keys].flatMap((key) =>
      differences(
        (wanted as Record<string, unknown>)[key],
        (given as Record<string, unknown>)[key],
        `${at}/${key}`,
      ),
    );
  }
  return wanted === given ? [] : [`${at}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(given)}`];
}
