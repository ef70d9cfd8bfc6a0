/** Sets of TCP ports as ranges, which every firewall accepts. */
import { problem } from "../../shared/problems.js";

export interface PortRange {
  readonly first: number;
  /** The same as `first` for a single port. */
  readonly last: number;
}

/**
 * Sorted, without duplicates, neighbours joined.
 *
 * @throws ProblemError INVALID_ARGUMENT when one is not a whole number from 1 to 65535.
 */
export function portRanges(ports: Iterable<number>): PortRange[] {
  const ranges: PortRange[] = [];
  for (const port of [...new Set(ports)].sort((a, b) => a - b)) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw problem("INVALID_ARGUMENT", `${port} is not a port.`, { remedy: "Ports go from 1 to 65535." });
    }
    const previous = ranges.at(-1);
    if (previous?.last === port - 1) ranges[ranges.length - 1] = { first: previous.first, last: port };
    else ranges.push({ first: port, last: port });
  }
  return ranges;
}

/** "2220, 2222–2225" (for people), or with another separator and dash for a program. */
export function portText(ranges: readonly PortRange[], separator = ", ", dash = "–"): string {
  return ranges
    .map(({ first, last }) => (first === last ? String(first) : `${first}${dash}${last}`))
    .join(separator);
}

/** The ports in a text such as "2220,2222:2225" or "2222-2225"; parts that cannot be parsed are left out. */
export function portsIn(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const match = /^\s*(\d{1,5})(?:\s*[-:–]\s*(\d{1,5}))?\s*$/.exec(part);
    if (!match) return [];
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < 1 || last > 65_535 || last < first) return [];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** The multiport match of iptables, which ufw also uses, takes fifteen ports in a rule; a range counts as two. */
const MAX_PORTS_A_RULE = 15;

/** Ranges in groups that fit into one rule each. */
export function portChunks(ranges: readonly PortRange[]): PortRange[][] {
  const chunks: PortRange[][] = [];
  let room = 0;
  for (const range of ranges) {
    const needed = range.first === range.last ? 1 : 2;
    if (needed > room) {
      chunks.push([]);
      room = MAX_PORTS_A_RULE;
    }
    chunks.at(-1)?.push(range);
    room -= needed;
  }
  return chunks;
}
