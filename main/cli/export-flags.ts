/** The options of exports as flags of commands. */
import type { FlagSpec, ParsedArgs } from "../../worker-runtime/cli/args.js";
import {
  EXPORT_OPTIONS,
  type ExportOption,
  type OptionName,
} from "../../worker-runtime/cluster/orchestrators/export-options.js";
import {
  EXPORT_TARGETS,
  type ExportTarget,
} from "../../worker-runtime/cluster/orchestrators/export-targets.js";

/** A flag for each option that one of the targets takes. */
export function exportFlags(targets: readonly ExportTarget[]): FlagSpec[] {
  return EXPORT_OPTIONS.filter((option) => targets.some((target) => option.targets.includes(target))).map(
    (option) => ({ name: option.name, value: option.value, help: optionHelp(option, targets) }),
  );
}

function optionHelp({ help, targets, byDefault }: ExportOption, shown: readonly ExportTarget[]): string {
  const isForAll = shown.length === 1 || targets.length === EXPORT_TARGETS.length;
  const scope = isForAll ? "" : ` For ${targets.join(", ")}.`;
  return `${help}${byDefault === undefined ? "" : ` Default: ${byDefault}.`}${scope}`;
}

/** The flags that were given for any target; the export refuses what does not belong to its own. */
export function exportValues(parsed: ParsedArgs): Partial<Record<OptionName, string>> {
  const values: Partial<Record<OptionName, string>> = {};
  for (const { name } of EXPORT_OPTIONS) {
    const value = parsed.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
