/** Where long names are broken into lines. Pure. */

/** The parts of a name between which it is broken: behind each of its signs, not within a word. */
export function nameParts(name: string): readonly string[] {
  return name.split(/(?<=[_/.-])/);
}

/** The number of characters of the longest part of a name that is not broken. */
export function longestPart(name: string): number {
  return Math.max(...nameParts(name).map((part) => part.length));
}
