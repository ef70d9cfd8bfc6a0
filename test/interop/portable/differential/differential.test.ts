/**
 * The same graphs on a real TensorFlow server and on ours: values, dtypes, shapes and error codes of every step must be
 * equal, and every registered (op, dtype) must be among what was compared. README.md says how cases are written and which
 * environment variables there are.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../../support/peers.js";
import { BothServers } from "./both-servers.js";
import { Coverage } from "./coverage.js";
import { coveredOtherwise } from "./covered-otherwise.js";
import { makePlan } from "./plan.js";
import { readSettings } from "./settings.js";

const settings = readSettings(process.env);
const { families, registered } = makePlan(settings, coveredOtherwise);

describe.skipIf(peerMissing("tensorflow"))(
  `graphs do what they do on TensorFlow (${settings.repeat})`,
  () => {
    const coverage = new Coverage(registered);
    const servers = new BothServers({
      ...settings,
      agreed: (one, expected) => coverage.add(one, expected),
    });

    beforeAll(() => servers.start());
    afterAll(() => servers.removeFiles());

    test.each(families.map((family) => [family.name, family] as const))(
      "%s",
      { timeout: 600_000 },
      async (_, { nodes, programs }) => {
        const failures = [
          ...(await servers.compareNodes(nodes)),
          ...(await servers.comparePrograms(programs)),
        ];
        expect(failures.slice(0, settings.shown), `repeat with ${settings.repeat}`).toEqual([]);
      },
    );

    test("every registered (op, dtype) is among what was compared", () => {
      expect(coverage.uncovered(coveredOtherwise)).toEqual([]);
    });
  },
);
