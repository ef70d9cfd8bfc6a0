/** Choosing a row of a list by typing the beginning of its name, as in lists of the system. */
import { type KeyboardEvent, useRef } from "react";

/** A key that is pressed later begins another name. */
const PAUSE_MILLIS = 1000;

/**
 * The row whose name begins with what was typed: the chosen one while it still does, else the next. One key again and again
 * goes through the names that begin with it.
 *
 * @returns -1 if there is none
 */
export function typedRow(names: readonly string[], chosen: number, typed: string): number {
  const [first = ""] = typed;
  const isRepeated = [...typed].every((key) => key === first);
  const sought = (isRepeated ? first : typed).toLowerCase();
  const from = isRepeated ? chosen + 1 : chosen;
  const order = names.map((_, index) => (from + index) % names.length);
  return order.find((row) => names[row]?.toLowerCase().startsWith(sought)) ?? -1;
}

/**
 * @param choose is called with the row that the keys lead to
 * @returns takes a key press; false for one that is no letter of a name
 */
export function useTypeAhead(
  names: readonly string[],
  chosen: number,
  choose: (row: number) => void,
): (event: KeyboardEvent) => boolean {
  const last = useRef({ typed: "", at: 0 });
  return ({ key, ctrlKey, metaKey, altKey, timeStamp }) => {
    const isPaused = timeStamp - last.current.at > PAUSE_MILLIS;
    const before = isPaused ? "" : last.current.typed;
    if (ctrlKey || metaKey || altKey || [...key].length !== 1 || (key === " " && before === "")) return false;
    const typed = before + key;
    last.current = { typed, at: timeStamp };
    const row = typedRow(names, chosen, typed);
    if (row >= 0) choose(row);
    return true;
  };
}
