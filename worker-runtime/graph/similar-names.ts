/** Number of insertions, deletions, substitutions and swaps between two words; stops beyond `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] ?? limit + 1;
}

/** The candidates most similar to `name`, best first, ignoring case. */
export function similarNames(name: string, candidates: Iterable<string>, count = 3): string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const scored: { name: string; score: number }[] = [];
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const distance = editDistance(wanted, lower, limit);
    // "Add" for "AddV2": one is a prefix of the other.
    const shorter = Math.min(wanted.length, lower.length);
    if (distance <= limit) scored.push({ name: candidate, score: distance });
    else if (shorter >= 3 && (lower.startsWith(wanted) || wanted.startsWith(lower))) {
      scored.push({ name: candidate, score: limit + Math.abs(lower.length - wanted.length) });
    }
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** " Did you mean A or B?", or "" if no name is similar. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const names = similarNames(name, candidates);
  const last = names.pop();
  if (last === undefined) return "";
  return ` Did you mean ${names.length > 0 ? `${names.join(", ")} or ${last}` : last}?`;
}
