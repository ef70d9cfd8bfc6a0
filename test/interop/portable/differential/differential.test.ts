/**
 * The same graphs on a real TensorFlow server and on ours: values, dtypes, shapes and error codes of every step must be
 * equal, and every registered (op, dtype) must be among what was compared. README.md says how cases are written and which
 * environment variables there are.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TensorFlowError } from "../../../../worker-runtime/protocol/status.js";
import { peerMissing } from "../../../support/peers.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import type { Case } from "./case.js";
import { caseFailures } from "./case-failures.js";
import { Coverage } from "./coverage.js";
import { coveredOtherwise } from "./covered-otherwise.js";
import { evaluateCases, type Outcome } from "./evaluate.js";
import { caseOfNode, type OpCase } from "./op-case.js";
import { type CaseBuilder, makePlan } from "./plan.js";
import { readSettings } from "./settings.js";

/** Of what a server that died has printed, the end says why. */
const LAST_WORDS = 2_000;

type Side = "theirs" | "ours";

const settings = readSettings(process.env);
const { families, registered } = makePlan(settings, coveredOtherwise);

describe.skipIf(peerMissing("tensorflow"))(
  `graphs do what they do on TensorFlow (${settings.repeat})`,
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-differential-"));
    const coverage = new Coverage(registered);
    const workers = new Map<Side, StartedWorker>();

    async function start(side: Side): Promise<void> {
      const engine = side === "theirs" ? "tensorflow" : settings.engine;
      const options = engine === "portable" ? ["--files", folder] : [];
      // Plain kernels: the oneDNN ones of this version end the process for some shapes.
      workers.set(side, await startWorker(["--engine", engine, ...options], { TF_ENABLE_ONEDNN_OPTS: "0" }));
    }

    beforeAll(async () => {
      await Promise.all([start("theirs"), start("ours")]);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** A server that dies is started anew, and the cases are halved until the one that it died of stands alone. */
    async function evaluate(side: Side, cases: readonly Case[]): Promise<Outcome[][]> {
      const worker = workers.get(side);
      if (worker === undefined || cases.length === 0) return [];
      try {
        return await evaluateCases(worker.target, cases);
      } catch (error) {
        if (!(error instanceof TensorFlowError)) throw error;
        const lastLines = worker.output().slice(-LAST_WORDS);
        await worker.stop();
        await start(side);
        const middle = Math.ceil(cases.length / 2);
        return middle === cases.length
          ? cases.map(() => [{ kind: "died", lastLines }])
          : [
              ...(await evaluate(side, cases.slice(0, middle))),
              ...(await evaluate(side, cases.slice(middle))),
            ];
      }
    }

    /** Runs cases on both; what differs, and the outcomes on TensorFlow. */
    async function compare(build: (folder: string) => readonly Case[]) {
      const cases = build(path.join(folder, "theirs"));
      const expected = await evaluate("theirs", cases);
      const actual = await evaluate("ours", build(path.join(folder, "ours")));
      const failures = cases.flatMap((one, i) => {
        const found = caseFailures(one, expected[i] ?? [], actual[i] ?? []);
        if (found.length === 0) coverage.add(one, expected[i] ?? []);
        return found;
      });
      return { failures, expected };
    }

    async function compareNodes(nodes: readonly OpCase[]): Promise<string[]> {
      const made = (some: readonly OpCase[], style: "fed" | "constant") => () =>
        some.map((one, i) => caseOfNode(one, `case${i}`, style));
      const fed = await compare(made(nodes, "fed"));
      // As constants, which a master may compute with beforehand; it refuses a whole graph for a single error.
      const valid = nodes.filter(
        ({ onlyFed }, i) => !onlyFed && fed.expected[i]?.every(({ kind }) => kind === "values"),
      );
      const constant = await compare(made(valid, "constant"));
      return [...fed.failures, ...constant.failures];
    }

    const comparePrograms = async (builders: readonly CaseBuilder[]): Promise<string[]> =>
      (
        await compare((own) =>
          builders.map(({ name, build }) => {
            const place = path.join(own, name);
            mkdirSync(place, { recursive: true });
            return build(place);
          }),
        )
      ).failures;

    test.each(families.map((family) => [family.name, family] as const))(
      "%s",
      { timeout: 600_000 },
      async (_, { nodes, programs }) => {
        const failures = [...(await compareNodes(nodes)), ...(await comparePrograms(programs))];
        expect(failures.slice(0, settings.shown), `repeat with ${settings.repeat}`).toEqual([]);
      },
    );

    test("every registered (op, dtype) is among what was compared", () => {
      expect(coverage.uncovered(coveredOtherwise)).toEqual([]);
    });
  },
);
