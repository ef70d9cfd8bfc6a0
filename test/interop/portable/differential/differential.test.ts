/**
 * The same graphs on a real TensorFlow server and on ours: values, dtypes, shapes and error codes must be equal.
 *
 * TENSORDECK_CASES is how many cases are drawn for each op and dtype (2 unless given), TENSORDECK_SEED where they come
 * from. TENSORDECK_DIFFERENTIAL_ENGINE=tensorflow tests this harness: TensorFlow against itself.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import { dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import { peerMissing } from "../../../support/peers.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { difference } from "./compare.js";
import { evaluateCases } from "./evaluate.js";
import { caseText, type InputStyle, type OpCase } from "./op-case.js";
import { casesOf } from "./op-spec.js";
import { specsByFamily } from "./specs/index.js";

const engine = process.env.TENSORDECK_DIFFERENTIAL_ENGINE ?? "portable";
const count = Number(process.env.TENSORDECK_CASES ?? 2);
const seed = Number(process.env.TENSORDECK_SEED ?? 5);
/** More than this many say no more. */
const SHOWN_FAILURES = Number(process.env.TENSORDECK_SHOWN ?? 40);

const kernels = createKernelRegistry();

describe.skipIf(peerMissing("tensorflow"))("ops compute what TensorFlow's compute", () => {
  let theirs: StartedWorker;
  let ours: StartedWorker;

  beforeAll(async () => {
    // Plain kernels: the oneDNN ones of this version end the process for some shapes.
    const env = { TF_ENABLE_ONEDNN_OPTS: "0" };
    [theirs, ours] = await Promise.all([
      startWorker(["--engine", "tensorflow"], env),
      startWorker(["--engine", engine], env),
    ]);
  });

  async function evaluate(worker: StartedWorker, cases: readonly OpCase[], style: InputStyle) {
    try {
      return await evaluateCases(worker.target, cases, style);
    } catch (cause) {
      // A server that died says on its last lines why.
      throw new Error(`The server answers no more:\n${worker.output().slice(-2_000)}`, { cause });
    }
  }

  /** What differs, and the cases for which TensorFlow has values. */
  async function compare(cases: readonly OpCase[], style: InputStyle) {
    const expected = await evaluate(theirs, cases, style);
    const actual = await evaluate(ours, cases, style);
    const failures = cases.flatMap((one, i) => {
      const [wanted, given] = [expected[i], actual[i]];
      const what =
        wanted === undefined || given === undefined ? "no outcome" : difference(wanted, given, one.tolerance);
      return what === undefined ? [] : [`${style}: ${caseText(one)}\n    ${what}`];
    });
    return { failures, valid: cases.filter((_, i) => expected[i]?.kind === "values") };
  }

  test.each(Object.entries(specsByFamily))("%s", { timeout: 600_000 }, async (_, specs) => {
    const cases = specs
      .filter((spec) => kernels.of(spec.op).length > 0)
      .flatMap((spec) => casesOf(spec, { count, seed }));
    const fed = await compare(cases, "fed");
    expect(withoutValues(cases, fed.valid), "ops and dtypes of which TensorFlow refuses every case").toEqual(
      [],
    );
    // As constants, which a master may compute with beforehand; it refuses a whole graph for a single error.
    const constant = await compare(fed.valid, "constant");
    expect([...fed.failures, ...constant.failures].slice(0, SHOWN_FAILURES)).toEqual([]);
  });
});

/** Ops with dtypes that have errors only: nothing is proven of those. */
function withoutValues(cases: readonly OpCase[], valid: readonly OpCase[]): string[] {
  const computed = new Set(valid.map(choiceText));
  return [...new Set(cases.map(choiceText))].filter((choice) => !computed.has(choice));
}

function choiceText({ op, attrs }: OpCase): string {
  const chosen = Object.entries(attrs).flatMap(([name, value]) =>
    value?.$case === "type" ? [`${name}=${dtypeOf(value.value)}`] : [],
  );
  return `${op}(${chosen.join(", ")})`;
}
