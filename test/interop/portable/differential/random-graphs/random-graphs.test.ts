/**
 * Random graphs of the ops that have lowerings, as regions that ONNX Runtime runs, against a real TensorFlow server: nodes
 * that it joins, drops and orders anew, training steps, and batches of other sizes. ../README.md says how to repeat a
 * failure and how to run many.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initTfjs } from "../../../../../worker-runtime/engines/portable/kernels/tfjs/backend.js";
import { peerMissing } from "../../../../support/peers.js";
import { readSettings } from "../settings.js";
import { makeRandomGraph } from "./random-graph.js";
import { Servers, smallest } from "./servers.js";

/** Graphs for each case that the other tests of the harness draw. */
const GRAPHS_PER_CASE = 10;
/** The part of the nodes with a lowering that sessions have to run: some are alone, some are declined for their sizes. */
const LEAST_IN_SESSIONS = 0.75;

/** The nodes of the largest region of all. */
const LEAST_LARGEST = 15;

const { TENSORDECK_RANDOM_GRAPHS: chosen } = process.env;
const settings = readSettings(process.env);
const count = chosen === undefined ? settings.count * GRAPHS_PER_CASE : Number(chosen);

describe.skipIf(peerMissing("tensorflow"))(
  `random graphs give as regions what they give on TensorFlow (TENSORDECK_RANDOM_GRAPHS=${count} TENSORDECK_SEED=${settings.seed})`,
  () => {
    let servers: Servers;
    beforeAll(async () => {
      [servers] = await Promise.all([Servers.start(), initTfjs()]);
    });
    afterAll(() => servers?.stop());

    test("values, dtypes and shapes of every step", { timeout: 0 }, async () => {
      const failures: string[] = [];
      for (let i = 0; i < count && failures.length < settings.shown; i += 1) {
        const seed = settings.seed + i;
        const made = makeRandomGraph(seed);
        const found = await servers.differences(made.whole);
        if (found.length === 0) continue;
        const repeat = `TENSORDECK_RANDOM_GRAPHS=1 TENSORDECK_SEED=${seed}`;
        failures.push(`${repeat}\n${found.join("\n")}\n${await smallest(servers, made)}`);
      }
      expect(failures.join("\n\n")).toBe("");
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
