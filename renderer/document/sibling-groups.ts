/**
 * Divides the children of one scope further, so that a network of flat names reads as its blocks: layers whose names
 * begin alike become a group, and blocks that follow each other and are built alike a stack. Pure.
 */

/** The children of one scope, by number. */
export interface Siblings {
  /** The mark of each among the others: the name below the scope. */
  readonly names: readonly string[];
  /** Pairs of children between which there are edges. */
  readonly links: readonly (readonly [from: number, to: number])[];
  /** Equal for children that are built alike. */
  readonly structureOf: (child: number) => string;
  /** True for a scope, false for a node, which is in a stack only as part of a group. */
  readonly isScope: (child: number) => boolean;
}

/** A child, by its number, or several that are one in the drawing. */
export type Part = number | PartGroup;

export interface PartGroup {
  readonly kind: "group" | "stack";
  /** "block_1", "block_4–5". */
  readonly name: string;
  readonly members: readonly Part[];
}

/** Fewer children are readable without groups. */
const GROUPED_FROM = 12;
const MIN_GROUP = 3;
const MAX_GROUP = 20;

/** The children in their order, groups and stacks at the place of their first member. */
export function partsOf(siblings: Siblings): Part[] {
  const { names } = siblings;
  const single = names.map((_, child): Part => child);
  return withStacks(siblings, names.length < GROUPED_FROM ? single : withGroups(siblings));
}

function withGroups({ names, links, isScope }: Siblings): Part[] {
  const byPrefix = membersByPrefix(names);
  const groupOf = new Map<number, PartGroup>();
  const neighbours = linked(names.length, links);
  const take = (name: string, members: readonly number[]) => {
    const group: PartGroup = { kind: "group", name, members };
    for (const member of members) groupOf.set(member, group);
  };
  for (const [name, members] of unlinkedByKind(names, neighbours)) take(name, members);
  for (let child = 0; child < names.length; child++) {
    if (groupOf.has(child)) continue;
    for (const prefix of prefixesOf(names[child] ?? "")) {
      const members = byPrefix.get(prefix) ?? [];
      if (members.length < MIN_GROUP || members.length > MAX_GROUP) continue;
      if (isCounted(names, members, prefix)) continue;
      const block = withWhatIsBetween(new Set(members), neighbours, members.length / 2);
      const taken = [...(block ?? [])].some((member) => groupOf.has(member));
      if (!block || taken || !isConnected(block, neighbours)) continue;
      if ([...block].some((member) => isScope(member) && !members.includes(member))) continue;
      take(
        commonPrefix(names, members),
        [...block].sort((one, other) => one - other),
      );
      break;
    }
  }
  return inOrder(
    names.map((_, child) => child),
    groupOf,
  );
}

/** Nodes without edges, such as the inputs of a function that it does not use, by their names without numbers. */
function unlinkedByKind(names: readonly string[], { before, after }: Linked): Map<string, number[]> {
  const result = new Map<string, number[]>();
  names.forEach((name, child) => {
    if ((before[child]?.length ?? 0) + (after[child]?.length ?? 0) > 0) return;
    const kind = name.replace(/_\d+$/, "");
    const members = result.get(kind);
    if (members) members.push(child);
    else result.set(kind, [child]);
  });
  for (const [kind, members] of result) if (members.length < MIN_GROUP) result.delete(kind);
  return result;
}

/** The parts in the order of their first members. */
function inOrder<T extends Part>(parts: readonly T[], groupOf: ReadonlyMap<T, PartGroup>): Part[] {
  const placed = new Set<PartGroup>();
  return parts.flatMap((part): Part[] => {
    const group = groupOf.get(part);
    if (!group) return [part];
    if (placed.has(group)) return [];
    placed.add(group);
    return [group];
  });
}

/** The name's first part in the scope, which is a layer's name: "block_1_conv" of "block_1_conv/Conv2D". */
function layerOf(name: string): string {
  const slash = name.indexOf("/");
  return slash < 0 ? name : name.slice(0, slash);
}

/** "block_1", "block", "block_1_conv" of "block_1_conv": counted ones first, because blocks are counted. */
function prefixesOf(name: string): string[] {
  const words = layerOf(name).split("_");
  const prefixes = words.map((_, last) => words.slice(0, last + 1).join("_"));
  const isCount = (prefix: string) => /\d$/.test(prefix);
  return [...prefixes.filter(isCount), ...prefixes.filter((prefix) => !isCount(prefix))];
}

function membersByPrefix(names: readonly string[]): Map<string, number[]> {
  const result = new Map<string, number[]>();
  names.forEach((name, child) => {
    for (const prefix of prefixesOf(name)) {
      const members = result.get(prefix);
      if (members) members.push(child);
      else result.set(prefix, [child]);
    }
  });
  return result;
}

/** Whether most names are the prefix and a number: "dense", "dense_1", "dense_2" are of one kind, not of one block. */
function isCounted(names: readonly string[], members: readonly number[], prefix: string): boolean {
  const counted = members.filter((member) =>
    /^(_\d+)?$/.test(layerOf(names[member] ?? "").slice(prefix.length)),
  );
  return counted.length * 2 > members.length;
}

function commonPrefix(names: readonly string[], members: readonly number[]): string {
  const lists = members.map((member) => layerOf(names[member] ?? "").split("_"));
  const [first = []] = lists;
  const differs = first.findIndex((word, index) => lists.some((words) => words[index] !== word));
  return (differs < 0 ? first : first.slice(0, differs)).join("_");
}

interface Linked {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

function linked(count: number, links: Siblings["links"]): Linked {
  const before: number[][] = Array.from({ length: count }, () => []);
  const after: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of links) {
    after[from]?.push(to);
    before[to]?.push(from);
  }
  return { before, after };
}

function isConnected(members: ReadonlySet<number>, { before, after }: Linked): boolean {
  const [start] = members;
  const seen = new Set<number>();
  const open = start === undefined ? [] : [start];
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    if (seen.has(child)) continue;
    seen.add(child);
    for (const next of [...(before[child] ?? []), ...(after[child] ?? [])]) {
      if (members.has(next)) open.push(next);
    }
  }
  return seen.size === members.size;
}

/**
 * The members and all that lies on paths between them, without which they would stand on a circle if they were drawn as
 * one box; undefined if that is more than `most` others.
 */
function withWhatIsBetween(
  members: ReadonlySet<number>,
  { before, after }: Linked,
  most: number,
): Set<number> | undefined {
  const later = reached(members, after);
  const earlier = reached(members, before);
  const whole = new Set(members);
  for (const child of later) if (earlier.has(child)) whole.add(child);
  return whole.size - members.size > most ? undefined : whole;
}

function reached(from: ReadonlySet<number>, neighbours: readonly (readonly number[])[]): Set<number> {
  const seen = new Set<number>();
  const open = [...from].flatMap((child) => neighbours[child] ?? []);
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    if (seen.has(child)) continue;
    seen.add(child);
    for (const next of neighbours[child] ?? []) open.push(next);
  }
  return seen;
}

/** Puts scopes that follow each other and are built alike into stacks. */
function withStacks({ names, links, structureOf, isScope }: Siblings, parts: readonly Part[]): Part[] {
  const structures = parts.map((part) =>
    typeof part === "number" && !isScope(part) ? undefined : structureOfPart(part, structureOf),
  );
  const blocks = structures.filter((structure) => structure !== undefined);
  if (new Set(blocks).size === blocks.length) return [...parts];
  const partOf = new Map<number, number>();
  parts.forEach((part, index) => {
    for (const child of childrenOf(part)) partOf.set(child, index);
  });
  const seen = new Set<string>();
  const partLinks = links.flatMap(([from, to]): [number, number][] => {
    const [one, other] = [partOf.get(from) ?? -1, partOf.get(to) ?? -1];
    const key = `${one} ${other}`;
    if (one === other || seen.has(key)) return [];
    seen.add(key);
    return [[one, other]];
  });
  const neighbours = linked(parts.length, partLinks);
  const stackOf = new Map<Part, PartGroup>();
  for (const chain of chains(structures, neighbours)) {
    if (!withWhatIsBetween(new Set(chain), neighbours, 0)) continue;
    const members = chain.flatMap((index) => parts[index] ?? []);
    const stack: PartGroup = {
      kind: "stack",
      name: rangeText(members.map((part) => (typeof part === "number" ? (names[part] ?? "") : part.name))),
      members,
    };
    for (const member of members) stackOf.set(member, stack);
  }
  return inOrder(parts, stackOf);
}

function childrenOf(part: Part): readonly number[] {
  return typeof part === "number" ? [part] : part.members.flatMap(childrenOf);
}

function structureOfPart(part: Part, structureOf: Siblings["structureOf"]): string {
  if (typeof part === "number") return structureOf(part);
  return part.members
    .map((member) => structureOfPart(member, structureOf))
    .sort()
    .join("|");
}

/** The longest rows of parts of one structure, each the only such successor of the one before. */
function chains(structures: readonly (string | undefined)[], { before, after }: Linked): number[][] {
  const alike = (list: readonly number[] | undefined, index: number) =>
    (list ?? []).filter((other) => structures[other] === structures[index] && other !== index);
  const nextOf = (index: number): number | undefined => {
    const [next, second] = alike(after[index], index);
    if (next === undefined || second !== undefined) return undefined;
    return alike(before[next], next).length === 1 ? next : undefined;
  };
  const result: number[][] = [];
  structures.forEach((structure, index) => {
    if (structure === undefined) return;
    const [previous] = alike(before[index], index);
    if (previous !== undefined && nextOf(previous) === index) return;
    const chain = [index];
    for (let next = nextOf(index); next !== undefined && !chain.includes(next); next = nextOf(next)) {
      chain.push(next);
    }
    if (chain.length > 1) result.push(chain);
  });
  return result;
}

/** "block_4–5" of "block_4" and "block_5"; the first and the last name where they are not counted. */
function rangeText(names: readonly string[]): string {
  const [first = "", last = ""] = [names[0], names.at(-1)];
  const [, stem = "", from] = /^(.*?)(\d+)$/.exec(first) ?? [];
  const to = last.startsWith(stem) ? last.slice(stem.length) : "";
  const isRange = /^\d+$/.test(to) && Number(from) < Number(to);
  return isRange ? `${stem}${from}–${to}` : `${first} … ${last}`;
}
