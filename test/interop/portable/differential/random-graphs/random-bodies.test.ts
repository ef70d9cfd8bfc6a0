/**
 * Random graphs as bodies of branches, loops and functions, with their gradients, against a real TensorFlow server: the
 * regions of bodies, of which inputs are loop invariants, dead, or of another batch in each iteration. ../README.md says
 * how to repeat a failure and how to run many.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../../../support/peers.js";
import { makeRandomBody } from "./random-body.js";
import { count, failuresOf, GRAPHS_PER_CASE, repeated } from "./random-runs.js";
import { Servers } from "./servers.js";

/** The part of the nodes with a lowering that sessions have to run: some are alone, some are declined for their sizes. */
const LEAST_IN_SESSIONS = 0.6;

describe.skipIf(peerMissing("tensorflow"))(
  `random bodies give as regions what they give on TensorFlow (${repeated})`,
  () => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await Servers.start();
    });
    afterAll(() => servers?.stop());

    test("values, dtypes and shapes of every step", { timeout: 0 }, async () => {
      const kinds = new Map<string, { lowered: number; inSessions: number }>();
      const failures = await failuresOf(servers, makeRandomBody, ({ text }, before) => {
        for (const kind of new Set(text.match(/\w+/g))) {
          const { lowered = 0, inSessions = 0 } = kinds.get(kind) ?? {};
          kinds.set(kind, {
            lowered: lowered + servers.ran.lowered - before.lowered,
            inSessions: inSessions + servers.ran.inSessions - before.inSessions,
          });
        }
      });
      expect(failures).toBe("");
      // That most of their nodes were run by sessions, in bodies of every kind, and nodes of their gradients.
      for (const [kind, { lowered, inSessions }] of kinds) {
        expect(inSessions, kind).toBeGreaterThanOrEqual(LEAST_IN_SESSIONS * lowered);
      }
      if (count >= GRAPHS_PER_CASE) {
        expect([...kinds.keys()].sort()).toEqual(["branch", "call", "frame", "loop", "switch"]);
        expect(servers.ran.gradientsInSessions).toBeGreaterThan(count);
      }
    });
  },
);
