/** What the scripts have in common that write committed files from what a TensorFlow says. */
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

/** The command line of such a script. @throws Error when no Python with TensorFlow is given or found. */
export function generatorArguments(): GeneratorArguments {
  const args = process.argv.slice(2);
  const python = args.find((arg) => arg !== "--check") ?? findTensorflow()?.executable;
  if (python === undefined) throw new Error(lackSentence("tensorflow"));
  return { check: args.includes("--check"), python };
}

/**
 * Writes the file, or with `check` sets a non-zero exit code when it is not current.
 *
 * @param contentOf What of the file's text counts; all of it unless given.
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
