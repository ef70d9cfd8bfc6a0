/**
 * Random graphs of the ops that have lowerings, as regions that ONNX Runtime runs, against a real TensorFlow server: nodes
 * that it joins, drops and orders anew, training steps, and batches of other sizes. ../README.md says how to repeat a
 * failure and how to run many.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../../../support/peers.js";
import { makeRandomGraph } from "./random-graph.js";
import { count, failuresOf, GRAPHS_PER_CASE, repeated } from "./random-runs.js";
import { Servers } from "./servers.js";

/** The part of the nodes with a lowering that sessions have to run: some are alone, some are declined for their sizes. */
const LEAST_IN_SESSIONS = 0.75;

/** The nodes of the largest region of all. */
const LEAST_LARGEST = 15;

describe.skipIf(peerMissing("tensorflow"))(
  `random graphs give as regions what they give on TensorFlow (${repeated})`,
  () => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await Servers.start();
    });
    afterAll(() => servers?.stop());

    test("values, dtypes and shapes of every step", { timeout: 0 }, async () => {
      expect(await failuresOf(servers, makeRandomGraph)).toBe("");
      // That most of their nodes were run by sessions, in regions of many.
      const { lowered, inSessions, largestRegion, updates } = servers.ran;
      expect(inSessions).toBeGreaterThanOrEqual(LEAST_IN_SESSIONS * lowered);
      if (count >= GRAPHS_PER_CASE) {
        expect(largestRegion).toBeGreaterThanOrEqual(LEAST_LARGEST);
        expect(updates).toBeGreaterThan(0);
      }
    });
  },
);
