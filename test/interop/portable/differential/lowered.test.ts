/**
 * The ops that have a lowering, each node run by ONNX Runtime, against a real TensorFlow server. The cases are one of each op
 * and choice of dtypes, and the programs of ops that change variables; TENSORDECK_DIFFERENTIAL_REGIONS=always runs all cases of differential.test.ts so.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../../support/peers.js";
import { BothServers } from "./both-servers.js";
import { loweredFamilies, loweredPrograms } from "./plan.js";
import { readSettings } from "./settings.js";

const settings = readSettings({
  TENSORDECK_CASES: "1",
  ...process.env,
  TENSORDECK_DIFFERENTIAL_REGIONS: "always",
});
const families = loweredFamilies(settings);

describe.skipIf(peerMissing("tensorflow"))(
  `lowerings do what nodes do on TensorFlow (${settings.repeat})`,
  () => {
    const servers = new BothServers(settings);

    beforeAll(() => servers.start());
    afterAll(() => servers.removeFiles());

    test.each(families.map((family) => [family.name, family] as const))(
      "%s",
      { timeout: 600_000 },
      async (_, { nodes }) => {
        const failures = await servers.compareNodes(nodes);
        expect(failures.slice(0, settings.shown), `repeat with ${settings.repeat}`).toEqual([]);
      },
    );

    test("what changes variables", { timeout: 600_000 }, async () => {
      const failures = await servers.comparePrograms(loweredPrograms());
      expect(failures.slice(0, settings.shown), `repeat with ${settings.repeat}`).toEqual([]);
    });
  },
);
