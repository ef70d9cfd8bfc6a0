/**
 * Random graphs of nodes with lowerings, as regions of ONNX Runtime, against a real TensorFlow server: what single nodes do
 * not show is how they are grouped, fused and updated, and what is known of their shapes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Session } from "../../../../worker-runtime/session/session.js";
import { peerMissing } from "../../../support/peers.js";
import { BothServers } from "./both-servers.js";
import type { CaseStep } from "./case.js";
import { caseOfProgram } from "./programs/program.js";
import { randomProgram } from "./random-graphs/random-program.js";
import { readSettings } from "./settings.js";

/** Constants, what is fed, variables and what only orders others. */
const NOT_COMPUTED =
  / = (?:Const|NoOp|Placeholder|_Recv|_Send|_Arg|_Retval|VarHandleOp|VariableV2|ReadVariableOp|Identity)\(/;

const settings = readSettings({ ...process.env, TENSORDECK_DIFFERENTIAL_REGIONS: "always" });
const seeds = Array.from({ length: settings.graphs }, (_, i) => settings.seed + i);

describe.skipIf(peerMissing("tensorflow"))("random graphs do what they do on TensorFlow", () => {
  const servers = new BothServers(settings);
  beforeAll(() => servers.start());
  afterAll(() => servers.removeFiles());

  const builderOf = (seed: number, fetchesAll: boolean) => ({
    name: `random_graph_${seed}`,
    build: () => caseOfProgram(randomProgram({ seed, fetchesAll }), ""),
  });

  /** How many nodes ran in regions in a traced step, and how many by kernels. */
  async function traced(seed: number): Promise<readonly [inRegions: number, byKernels: number]> {
    const { graph, steps } = builderOf(seed, false).build();
    const session = new Session(servers.target, { graph });
    try {
      const [first, second] = steps;
      const run = ({ fetches, feeds, targets }: CaseStep, trace = false) =>
        session.run(fetches, { feeds, targets, options: { trace } });
      if (first === undefined || second === undefined) return [0, 0];
      await run(first);
      await run(second);
      const { metadata } = await run(second, true);
      const labels = (metadata?.stepStats?.devStats ?? []).flatMap(({ nodeStats }) =>
        nodeStats.map(({ timelineLabel }) => timelineLabel),
      );
      const ops = labels.filter((label) => !NOT_COMPUTED.test(label));
      const inRegions = ops.filter((label) => label.includes("in a region of")).length;
      return [inRegions, ops.length - inRegions];
    } finally {
      await session.close();
    }
  }

  test("most of their nodes run in regions", { timeout: 300_000 }, async () => {
    let [inRegions, byKernels] = [0, 0];
    for (const seed of seeds.slice(0, 10)) {
      const [more, others] = await traced(seed);
      inRegions += more;
      byKernels += others;
    }
    expect(inRegions).toBeGreaterThan(4 * byKernels);
  });

  test.each(seeds)("TENSORDECK_RANDOM_GRAPHS=1 TENSORDECK_SEED=%i", { timeout: 300_000 }, async (seed) => {
    const failures = await servers.comparePrograms([builderOf(seed, false)]);
    // All values one after the other: the first wrong one shows where the fault is.
    const explained = failures.length === 0 ? [] : await servers.comparePrograms([builderOf(seed, true)]);
    expect([...failures, ...explained]).toEqual([]);
  });
});
