import type { EngineName } from "../engines/server.js";
import { invalidArgument } from "../protocol/status.js";
import type { CommandSpec, ParsedArgs } from "./args.js";

export const engineNames: readonly EngineName[] = ["tensorflow", "portable"];

export const engineFlag: CommandSpec["flags"][number] = {
  name: "engine",
  value: "NAME",
  help:
    "The engine: tensorflow (TensorFlow's own runtime, the default if there is one) or portable (Tensordeck's " +
    "own, which requires no installation, the default otherwise).",
};

/** The requested engine; undefined: whichever this machine has. @throws TensorFlowError INVALID_ARGUMENT */
export function readEngine(parsed: ParsedArgs): EngineName | undefined {
  const engine = parsed.get("engine");
  if (engine !== undefined && !isEngineName(engine)) {
    throw invalidArgument(`--engine must be one of ${engineNames.join(", ")}, not "${engine}".`);
  }
  return engine;
}

function isEngineName(name: string): name is EngineName {
  return engineNames.some((engine) => engine === name);
}
