import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findRegions,
  type GroupedNode,
} from "../../../../../worker-runtime/engines/portable/regions/find-regions.js";

/** A node that may be in a region unless told otherwise; sources are control inputs where they are negative. */
function node(sources: readonly number[], more: Partial<GroupedNode> = {}): GroupedNode {
  return {
    key: "cpu",
    sources: sources.map((source) => ({ node: source, output: 0 })),
    splitsDeadness: false,
    endsDeadness: false,
    waits: "never",
    ...more,
  };
}

const outside: Partial<GroupedNode> = { key: undefined };

/** Nodes in an order in which each comes after its sources. */
const regionsOf = (nodes: readonly GroupedNode[]) => findRegions(nodes, [...nodes.keys()]);

const randomGraph = fc
  .array(
    fc.record({
      isCandidate: fc.boolean(),
      key: fc.constantFrom("a", "b"),
      sources: fc.array(
        fc.record({ back: fc.integer({ min: 1, max: 12 }), output: fc.constantFrom(0, 1, undefined) }),
        { maxLength: 3 },
      ),
      kind: fc.constantFrom("plain", "plain", "plain", "plain", "switch", "merge", "recv", "dequeue", "far"),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((drawn) =>
    drawn.map(
      ({ isCandidate, key, sources, kind }, index): GroupedNode => ({
        key: isCandidate && kind === "plain" ? key : undefined,
        sources: sources
          .filter(({ back }) => back <= index)
          .map(({ back, output }) => ({ node: index - back, output })),
        splitsDeadness: kind === "switch",
        endsDeadness: kind === "merge",
        waits: kind === "dequeue" ? "unknown" : kind === "recv" ? 1 : kind === "far" ? 3 : "never",
      }),
    ),
  );

/** All nodes that a node depends on, itself not. */
function ancestors(nodes: readonly GroupedNode[], index: number): Set<number> {
  const found = new Set<number>();
  const pending = [index];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { node: source } of nodes[next]?.sources ?? []) {
      if (!found.has(source)) {
        found.add(source);
        pending.push(source);
      }
    }
  }
  return found;
}

/** The tokens that decide whether a node is dead: "s:1" for an output of Switch s. */
function deadness(nodes: readonly GroupedNode[], index: number): string {
  const tokens = new Set<string>();
  const visit = (at: number): void => {
    const node = nodes[at];
    if (node?.endsDeadness) {
      tokens.add(`${at}`);
      return;
    }
    for (const { node: source, output } of node?.sources ?? []) {
      if (nodes[source]?.splitsDeadness && output !== undefined) {
        tokens.add(`${source}:${output}`);
      } else {
        visit(source);
      }
    }
  };
  visit(index);
  return [...tokens].sort().join(" ");
}

describe("findRegions", () => {
  it("puts every node with a key in one region, in the given order", () => {
    fc.assert(
      fc.property(randomGraph, (nodes) => {
        const regions = regionsOf(nodes);
        const members = regions.flat();
        expect([...members].sort((a, b) => a - b)).toEqual(
          [...nodes.keys()].filter((index) => nodes[index]?.key !== undefined),
        );
        for (const region of regions) {
          expect(region).toEqual([...region].sort((a, b) => a - b));
        }
      }),
    );
  });

  it("makes no cycle of regions and other nodes", () => {
    fc.assert(
      fc.property(randomGraph, (nodes) => {
        const regions = regionsOf(nodes);
        const groupOf = new Map(regions.flatMap((members, group) => members.map((index) => [index, group])));
        const name = (index: number) => {
          const group = groupOf.get(index);
          return group === undefined ? `n${index}` : `r${group}`;
        };
        const before = new Map<string, Set<string>>();
        for (const [index, { sources }] of nodes.entries()) {
          const all = before.get(name(index)) ?? new Set();
          before.set(name(index), all);
          for (const source of sources) {
            if (name(source.node) !== name(index)) {
              all.add(name(source.node));
            }
          }
        }
        for (let changed = true; changed; ) {
          changed = false;
          for (const [at, all] of before) {
            if ([...all].every((other) => !before.has(other))) {
              before.delete(at);
              changed = true;
            }
          }
        }
        expect([...before.keys()]).toEqual([]);
      }),
    );
  });

  it("mixes neither keys, nor deadness, nor what nodes wait for", () => {
    fc.assert(
      fc.property(randomGraph, (nodes) => {
        for (const region of regionsOf(nodes)) {
          const up = region.map((index) => ancestors(nodes, index));
          const classOf = (index: number, at: number) => {
            const dequeues = [...(up[at] ?? [])]
              .filter((source) => nodes[source]?.waits === "unknown")
              .sort();
            const depths = [...(up[at] ?? [])].map((source) => {
              const waits = nodes[source]?.waits;
              return typeof waits === "number" ? waits : 0;
            });
            return [nodes[index]?.key, deadness(nodes, index), dequeues.join(), Math.max(0, ...depths)].join(
              "|",
            );
          };
          expect(new Set(region.map(classOf)).size).toBe(1);
        }
      }),
    );
  });

  it("takes nodes with edges between them together, whatever comes in from outside", () => {
    // in → a → b ← in2, in → c, and d alone behind something that is no candidate.
    const nodes = [node([], outside), node([0]), node([], outside), node([1, 2]), node([1])];
    expect(regionsOf(nodes)).toEqual([[1, 3, 4]]);
  });

  it("parts nodes that have a way between them through something else", () => {
    // a → kernel → b, and a → b.
    expect(regionsOf([node([]), node([0], outside), node([0, 1])])).toEqual([[0], [2]]);
  });

  it("parts the branches of a Switch from each other and from what is before it", () => {
    const nodes = [
      node([]),
      node([0], { ...outside, splitsDeadness: true }),
      { ...node([]), sources: [{ node: 1, output: 0 }] },
      { ...node([]), sources: [{ node: 1, output: 1 }] },
      node([2]),
      node([2, 3], { ...outside, endsDeadness: true }),
      node([5]),
    ];
    expect(regionsOf(nodes)).toEqual([[0], [2, 4], [3], [6]]);
  });

  it("parts what waits for a queue from what does not", () => {
    const nodes = [node([], outside), node([], { ...outside, waits: "unknown" }), node([0]), node([2, 1])];
    expect(regionsOf(nodes)).toEqual([[2], [3]]);
  });

  it("takes nodes together that wait for values of as many crossings between tasks", () => {
    const recv = (waits: number) => node([], { ...outside, waits });
    expect(regionsOf([recv(1), recv(1), node([0]), node([2, 1])])).toEqual([[2, 3]]);
    expect(regionsOf([recv(1), recv(3), node([0]), node([2, 1])])).toEqual([[2], [3]]);
  });
});
