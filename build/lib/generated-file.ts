/** Shared by the scripts that generate committed files from an installed TensorFlow. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { findTensorflow, lackSentence } from "./peers/peers.mjs";
import { root } from "./project.mjs";

interface GeneratorArguments {
  /** Compare with the committed file instead of writing it. */
  readonly check: boolean;
  /** Path of a Python that has TensorFlow. */
  readonly python: string;
}

/** The command line of such a script. @throws Error if no Python with TensorFlow is given or found. */
export function generatorArguments(): GeneratorArguments {
  const args = process.argv.slice(2);
  const python = args.find((arg) => arg !== "--check") ?? findTensorflow()?.executable;
  if (python === undefined) throw new Error(lackSentence("tensorflow"));
  return { check: args.includes("--check"), python };
}

/**
 * Writes the file, or with `check` sets a non-zero exit code if it is out of date.
 *
 * @param contentOf Extracts the text to compare; defaults to the whole file.
 */
export function updateGenerated(
  check: boolean,
  file: string,
  text: string,
  contentOf: (text: string) => string = (all) => all,
): void {
  if (!check) {
    writeFileSync(file, text);
  } else if (contentOf(readFileSync(file, "utf8")) !== contentOf(text)) {
    console.error(
      `${relative(root, file)} is not current. Run the script without --check and commit the file.`,
    );
    process.exitCode = 1;
  }
}
