import path from "node:path";
import { namedProgram } from "../programs/find-program.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of Tensordeck that name a file or folder. */
const PATH_VARIABLES = ["TENSORDECK_DATA_DIR", "TENSORDECK_LIBTENSORFLOW"];

/**
 * Tensordeck's own variables with full paths, for a process that works in another folder: relative ones belong to the folder
 * in which the user has set them.
 */
export function absoluteVariables(
  env: Environment = process.env,
  folder = process.cwd(),
): Record<string, string> {
  const absolute: Record<string, string> = {};
  for (const name of PATH_VARIABLES) {
    const given = env[name];
    if (given) {
      absolute[name] = path.resolve(folder, given);
    }
  }
  const node = env.TENSORDECK_NODE && namedProgram(env.TENSORDECK_NODE, folder);
  return node ? { ...absolute, TENSORDECK_NODE: node } : absolute;
}
