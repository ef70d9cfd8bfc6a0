/** Which lines of a log are shown: by level and by text. */
import type { LogLine } from "../../main/api/cluster.js";

/** "warning" shows errors, too. */
export type LevelFilter = "all" | "warning" | "error";

type Line = Pick<LogLine, "level" | "text">;

/** The lines of a level that contain a text, in any case of letters. */
export function filteredLines<T extends Line>(
  lines: readonly T[],
  level: LevelFilter,
  search: string,
): readonly T[] {
  const wanted = search.trim().toLowerCase();
  return lines.filter(
    (line) =>
      (level === "all" || line.level === level || (level === "warning" && line.level === "error")) &&
      (wanted === "" || line.text.toLowerCase().includes(wanted)),
  );
}

/** The choices of levels: "Warnings 2". */
export function levelOptions(
  lines: readonly Line[],
  { all, warnings, errors }: Readonly<Record<"all" | "warnings" | "errors", string>>,
): { readonly id: LevelFilter; readonly label: string }[] {
  const counted = (id: "warning" | "error", label: string) => {
    const count = lines.filter(({ level }) => level === id).length;
    return { id, label: count > 0 ? `${label} ${count}` : label };
  };
  return [{ id: "all", label: all }, counted("warning", warnings), counted("error", errors)];
}
