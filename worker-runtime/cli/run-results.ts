import { mkdir } from "node:fs/promises";
import path from "node:path";
import { withFileErrors } from "../io/file-errors.js";
import { writeNpy } from "../io/npy.js";
import { writeOutputFile } from "../io/output-file.js";
import { invalidArgument } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { type NodePlacement, placementLine } from "../session/trace/placement.js";
import type { OutputArgument } from "./run-options.js";
import { jsonValues, tensorText } from "./tensor-text.js";

/** The results of the steps. */
export interface StepResults {
  readonly names: readonly string[];
  readonly values: readonly Tensor[];
  readonly placement: readonly NodePlacement[] | undefined;
  /** Wall time of each step as the client saw it. */
  readonly stepMillis: readonly number[];
}

/** The median of a sorted list. */
function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** "1000 steps in 1.25 s; median 1.1 ms, first 25.0 ms". */
export function timingText(stepMillis: readonly number[]): string {
  const sum = stepMillis.reduce((total, millis) => total + millis, 0);
  const middle = median([...stepMillis].sort((a, b) => a - b));
  return (
    `${stepMillis.length} steps in ${(sum / 1000).toFixed(2)} s; ` +
    `median ${middle.toFixed(2)} ms, first ${(stepMillis[0] ?? 0).toFixed(2)} ms\n`
  );
}

/** The results for people: placement lines as TensorFlow's log has them, then each fetch. */
export function resultsText({ names, values, placement }: StepResults): string {
  const lines = (placement ?? []).map((entry) => `${placementLine(entry)}\n`);
  return lines.join("") + values.map((value, i) => tensorText(names[i] ?? "", value)).join("");
}

/** The results for programs. */
export function resultsJson({ names, values, placement, stepMillis }: StepResults): string {
  const fetches = Object.fromEntries(
    values.map((value, i) => [
      names[i] ?? "",
      { dtype: value.dtype, shape: value.shape, values: jsonValues(value) },
    ]),
  );
  const devices =
    placement && Object.fromEntries(placement.map(({ node, op, device }) => [node, { op, device }]));
  const timing = { steps: stepMillis.length, lastStepMillis: stepMillis.at(-1) ?? 0 };
  return `${JSON.stringify({ fetches, ...(devices && { placement: devices }), ...timing })}\n`;
}

/** A file name for a tensor: "layer/w:0" becomes "layer_w_0.npy". */
function fileNameOf(tensor: string): string {
  return `${tensor.replace(/[^\w.-]/g, "_")}.npy`;
}

/**
 * The files that fetches are written to.
 * @throws TensorFlowError INVALID_ARGUMENT for a file of a tensor that is not fetched, or two tensors for one file
 */
export function outputFiles(
  outputs: readonly OutputArgument[],
  names: readonly string[],
): Map<string, string> {
  const files = new Map<string, string>();
  const add = (file: string, tensor: string): void => {
    const other = files.get(file);
    if (other !== undefined && other !== tensor) {
      throw invalidArgument(
        `${other} and ${tensor} would both be written to "${file}". Give one of them --output ${tensor}=@FILE.`,
      );
    }
    files.set(file, tensor);
  };
  for (const output of outputs) {
    if (output.kind === "folder") {
      for (const name of names) add(path.join(output.path, fileNameOf(name)), name);
      continue;
    }
    const name = [output.tensor, `${output.tensor}:0`].find((one) => names.includes(one));
    if (name === undefined) throw invalidArgument(`--output names ${output.tensor}, which is not fetched.`);
    add(output.path, name);
  }
  return files;
}

/** Writes .npy files; creates folders. */
export async function writeOutputs(files: ReadonlyMap<string, string>, results: StepResults): Promise<void> {
  for (const [file, tensor] of files) {
    const value = results.values[results.names.indexOf(tensor)];
    if (value === undefined) continue;
    const folder = path.dirname(file);
    await withFileErrors(folder, () => mkdir(folder, { recursive: true }));
    await writeOutputFile(file, writeNpy(value));
  }
}
