import { readFile } from "node:fs/promises";
import { withSharedSignal } from "../../../../cancellation/shared-signal.js";
import { withFileErrors } from "../../../../io/file-errors.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type ClassDistribution, weightedClasses } from "./candidate-distributions.js";

/** How counts of words become weights of classes, and which of the classes this shard has. */
interface UnigramRules {
  readonly range: number;
  readonly distortion: number;
  readonly reserved: number;
  readonly shards: number;
  readonly shard: number;
}

/**
 * The classes of a shard: the reserved ones, which are never drawn, and those of the counts, weighted by the counts to
 * the power of the distortion.
 * @throws TensorFlowError INVALID_ARGUMENT if their number differs from the node's attribute.
 */
function classesOfCounts(
  counts: readonly number[],
  { range, distortion, reserved, shards, shard }: UnigramRules,
): ClassDistribution {
  const isOurs = (word: number) => word % shards === shard;
  const weights = Array.from({ length: reserved }, () => 0).filter((_, word) => isOurs(word));
  const first = weights.length;
  let total = 0;
  counts.forEach((count, i) => {
    if (isOurs(first + i)) {
      const weight = Math.fround(count ** distortion);
      total = Math.fround(total + weight);
      weights.push(weight);
    }
  });
  if (weights.length !== range) {
    throw invalidArgument(`range is ${range} must be equal to weights size  ${weights.length}`);
  }
  return weightedClasses(Float32Array.from(weights), total);
}

/**
 * The last column of every line of a CSV file.
 * @throws TensorFlowError INVALID_ARGUMENT for anything that is not a number.
 */
function countsOfFile(text: string): number[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") {
    lines.pop();
  }
  return lines.map((line) => {
    const field = line.slice(line.lastIndexOf(",") + 1).trim();
    const count = Math.fround(Number(field));
    if (field === "" || Number.isNaN(count)) {
      throw invalidArgument(`Wrong vocabulary format at line: ${line}`);
    }
    return count;
  });
}

/** More reserved classes than any model has; each takes memory. */
const MOST_RESERVED = 2 ** 28;

/**
 * The classes of a FixedUnigramCandidateSampler: of the attribute "unigrams", or of a file, which is read once.
 * @throws TensorFlowError INVALID_ARGUMENT for invalid attributes, and errors of reading the file.
 */
export function unigramClasses(
  node: KernelNode,
): (context: OpContext) => ClassDistribution | Promise<ClassDistribution> {
  const [file, unigrams] = [node.string("vocab_file"), node.floats("unigrams")];
  if (file === "" && unigrams.length === 0) {
    throw invalidArgument("Must provide either vocab_file or unigrams.");
  }
  if (file !== "" && unigrams.length > 0) {
    throw invalidArgument("Must only provide one of vocab_file and unigrams.");
  }
  const rules = {
    range: node.int("range_max"),
    distortion: node.float("distortion"),
    reserved: node.int("num_reserved_ids"),
    shards: node.int("num_shards"),
    shard: node.int("shard"),
  };
  if (rules.reserved > MOST_RESERVED) {
    throw invalidArgument(`num_reserved_ids must be at most ${MOST_RESERVED}, got ${rules.reserved}`);
  }
  if (file === "") {
    const classes = classesOfCounts(unigrams, rules);
    return () => classes;
  }
  let loaded: ClassDistribution | undefined;
  return ({ step }) => {
    if (loaded !== undefined) {
      return loaded;
    }
    return withFileErrors(file, async () => {
      const path = await step.files.resolve(file, "read");
      const text = await withSharedSignal(step.signal, (signal) =>
        readFile(path, { encoding: "utf8", signal }),
      );
      loaded = classesOfCounts(countsOfFile(text), rules);
      return loaded;
    });
  };
}
