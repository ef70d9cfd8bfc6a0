import type { Case } from "./case.js";
import { difference, lacksKernel } from "./compare.js";
import type { Outcome } from "./evaluate.js";

/** The faults of a case, given the outcomes of its steps on TensorFlow and on ours: a sentence for each fault. */
export function caseFailures(one: Case, expected: readonly Outcome[], actual: readonly Outcome[]): string[] {
  const refused = expected.filter(lacksKernel);
  const faults: string[] = [];
  if (one.noKernel === undefined) {
    for (const outcome of refused.slice(0, 1)) {
      faults.push(`TensorFlow has no kernel for it, and the case does not say why: ${messageOf(outcome)}`);
    }
  } else if (refused.length === 0) {
    faults.push(`it says that TensorFlow has no kernel (${one.noKernel}), and TensorFlow has one`);
  }
  for (const [i, { fetches, targets }] of one.steps.entries()) {
    const [wanted, given] = [expected[i], actual[i]];
    const what =
      wanted === undefined || given === undefined ? "no outcome" : difference(wanted, given, one.tolerance);
    const step = one.steps.length === 1 ? "" : `step ${i} (${[...fetches, ...targets].join(", ")}): `;
    if (what !== undefined) faults.push(step + what);
  }
  return faults.map((fault) => `${one.text}\n    ${fault}`);
}

const messageOf = (outcome: Outcome): string =>
  outcome.kind === "error" ? outcome.message.slice(0, 300) : "";
