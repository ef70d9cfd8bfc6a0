/** The run configurations of a document as a list. */
import type { RunConfig, RunConfigs } from "./model.js";

/** All configurations by name, "run 2" before "run 10". */
export function runConfigsOf({ runConfig, otherRuns }: RunConfigs): RunConfig[] {
  return [runConfig, ...otherRuns].sort((one, other) =>
    one.name.localeCompare(other.name, "en", { numeric: true }),
  );
}

/** `wanted`, or "wanted 2", "wanted 3", … if a configuration has that name. */
export function uniqueName(wanted: string, configs: RunConfigs): string {
  const taken = new Set(runConfigsOf(configs).map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  const base = wanted.replace(/ \d+$/, "");
  for (let number = 2; ; number++) {
    const name = `${base} ${number}`;
    if (!taken.has(name)) return name;
  }
}
