/** Graphs with state, step by step, on a real TensorFlow server and on ours: each step must have the same outcome. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../../../support/peers.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { difference } from "./compare.js";
import { programsByFamily } from "./programs/index.js";
import { buildProgram, evaluateProgram, type Program } from "./programs/program.js";

const engine = process.env.TENSORDECK_DIFFERENTIAL_ENGINE ?? "portable";

describe.skipIf(peerMissing("tensorflow"))("graphs with state do what they do on TensorFlow", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-programs-"));
  let theirs: StartedWorker;
  let ours: StartedWorker;

  beforeAll(async () => {
    [theirs, ours] = await Promise.all([
      startWorker(["--engine", "tensorflow"]),
      startWorker(["--engine", engine, ...(engine === "portable" ? ["--files", folder] : [])]),
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function failures(program: Program): Promise<string[]> {
    const [onTheirs, built] = ["theirs", "ours"].map((name) =>
      buildProgram(program, path.join(folder, name)),
    );
    if (onTheirs === undefined || built === undefined) return ["not built"];
    const [expected, actual] = await Promise.all([
      evaluateProgram(theirs.target, onTheirs),
      evaluateProgram(ours.target, built),
    ]);
    return expected.flatMap((wanted, i) => {
      const given = actual[i];
      const what = given === undefined ? "no outcome" : difference(wanted, given, built.tolerance);
      const ran = built.steps[i]?.run.map((one) => one.name).join(", ");
      return what === undefined ? [] : [`step ${i} (${ran}): ${what}`];
    });
  }

  for (const [family, programs] of Object.entries(programsByFamily)) {
    test.each(programs.map((program) => [program.name, program] as const))(
      `${family}: %s`,
      async (_, program) => {
        expect(await failures(program)).toEqual([]);
      },
    );
  }
});
