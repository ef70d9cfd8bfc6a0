import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { decodeText } from "../../worker-runtime/io/text-encoding.js";
import { fileProblem, problem } from "../shared/problems.js";

/** Files that describe a cluster are far smaller. */
const MAX_BYTES = 4_000_000;

const ENDINGS = /\.(ya?ml|json|sh|txt)$/i;

/**
 * Reads a file that describes a cluster.
 * @throws ProblemError that names the file and says why it cannot be read, or that it is of another kind.
 */
export async function readTextFile(path: string): Promise<{ readonly name: string; readonly text: string }> {
  const name = basename(path);
  if (!ENDINGS.test(name)) {
    throw problem("INVALID_ARGUMENT", `${name} is not a file that describes a cluster.`, {
      remedy: "Choose a .yaml, .yml, .json, .sh or .txt file.",
    });
  }
  let bytes: Buffer;
  try {
    const stats = await stat(path);
    if (!stats.isFile()) {
      throw problem("INVALID_ARGUMENT", `${path} is not a file.`, { remedy: "Choose a file." });
    }
    if (stats.size > MAX_BYTES) {
      throw problem("INVALID_ARGUMENT", `${name} is too large for a cluster's file.`, {
        remedy: "Choose a file of at most 4 MB.",
      });
    }
    bytes = await readFile(path);
  } catch (error) {
    throw fileProblem(`${path} cannot be opened`, error);
  }
  try {
    return { name, text: decodeText(bytes, true) };
  } catch (error) {
    throw problem("INVALID_ARGUMENT", `${name} is not a text file.`, {
      reason: "It is encoded neither in UTF-8 nor in UTF-16.",
      remedy: "Save it as UTF-8.",
      details: String(error),
    });
  }
}
