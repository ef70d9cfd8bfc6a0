/**
 * Random graphs as bodies of branches, loops and functions, with their gradients, against a real TensorFlow server: the
 * regions of bodies, of which inputs are loop invariants, dead, or of another batch in each iteration. ../README.md says
 * how to repeat a failure and how to run many.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initTfjs } from "../../../../../worker-runtime/engines/portable/kernels/tfjs/backend.js";
import { peerMissing } from "../../../../support/peers.js";
import { readSettings } from "../settings.js";
import { makeRandomBody } from "./random-body.js";
import { Servers, smallest } from "./servers.js";

/** Graphs for each case that the other tests of the harness draw. */
const GRAPHS_PER_CASE = 10;
/** The part of the nodes with a lowering that sessions have to run: some are alone, some are declined for their sizes. */
const LEAST_IN_SESSIONS = 0.6;

const { TENSORDECK_RANDOM_GRAPHS: chosen } = process.env;
const settings = readSettings(process.env);
const count = chosen === undefined ? settings.count * GRAPHS_PER_CASE : Number(chosen);

describe.skipIf(peerMissing("tensorflow"))(
  `random bodies give as regions what they give on TensorFlow (TENSORDECK_RANDOM_GRAPHS=${count} TENSORDECK_SEED=${settings.seed})`,
  () => {
    let servers: Servers;
    beforeAll(async () => {
      [servers] = await Promise.all([Servers.start(), initTfjs()]);
    });
    afterAll(() => servers?.stop());

    test("values, dtypes and shapes of every step", { timeout: 0 }, async () => {
      const failures: string[] = [];
      const kinds = new Map<string, { lowered: number; inSessions: number }>();
      for (let i = 0; i < count && failures.length < settings.shown; i += 1) {
        const seed = settings.seed + i;
        const made = makeRandomBody(seed);
        const before = { ...servers.ran };
        const found = await servers.differences(made.whole);
        for (const kind of new Set(made.text.match(/\w+/g))) {
          const { lowered = 0, inSessions = 0 } = kinds.get(kind) ?? {};
          kinds.set(kind, {
            lowered: lowered + servers.ran.lowered - before.lowered,
            inSessions: inSessions + servers.ran.inSessions - before.inSessions,
          });
        }
        if (found.length === 0) continue;
        const repeat = `TENSORDECK_RANDOM_GRAPHS=1 TENSORDECK_SEED=${seed}`;
        failures.push(`${repeat} ${made.text}\n${found.join("\n")}\n${await smallest(servers, made)}`);
      }
      expect(failures.join("\n\n")).toBe("");
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
