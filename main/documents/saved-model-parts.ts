import { cp, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileProblem, problem } from "../shared/problems.js";

/**
 * The parts of a SavedModel's folder besides its graph: values of variables, files of tables, and whatever other
 * programs need.
 */
const PARTS = ["variables", "assets", "assets.extra", "keras_metadata.pb"];

/**
 * Copies the rest of a SavedModel when its graph is saved into another folder. Unless the file has TensorFlow's name it
 * is only a graph, and nothing is copied.
 * @throws ProblemError ALREADY_EXISTS if the folder has parts of another model; or why a part cannot be copied
 */
export async function copySavedModelParts(source: string, target: string): Promise<void> {
  const [from, to] = [dirname(source), dirname(target)];
  if (from === to || !/^saved_model\.(pb|pbtxt)$/.test(basename(target))) return;
  const parts: string[] = [];
  for (const part of PARTS) if (await exists(join(from, part))) parts.push(part);
  for (const part of parts) {
    if (!(await exists(join(to, part)))) continue;
    throw problem("ALREADY_EXISTS", `${to} already has another model's ${part}.`, {
      reason: `The values that belong to this graph would have to be saved there: ${parts.join(", ")}.`,
      remedy: "Save it into an empty folder.",
    });
  }
  for (const part of parts) {
    try {
      await cp(join(from, part), join(to, part), { recursive: true, errorOnExist: true, force: false });
    } catch (error) {
      throw fileProblem(`${join(from, part)} could not be copied to ${to}`, error);
    }
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
