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
      selector: fc.constantFrom("a:0", "b:0"),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((drawn) =>
    drawn.map(
      ({ isCandidate, key, sources, kind, selector }, index): GroupedNode => ({
        key: isCandidate && kind === "plain" ? key : undefined,
        sources: sources
          .filter(({ back }) => back <= index)
          .map(({ back, output }) => ({ node: index - back, output })),
        liveness:
          kind === "switch"
            ? { kind, selector, outputs: 2 }
            : kind === "merge"
              ? { kind, inputs: sources.filter(({ back }) => back <= index).length }
              : undefined,
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

/** Which nodes are alive if the selectors have these values. A Merge waits for one input that is. */
function alive(nodes: readonly GroupedNode[], chosen: Readonly<Record<string, number>>): boolean[] {
  const found: boolean[] = [];
  for (const { sources, liveness } of nodes) {
    const given = sources.map(({ node: source, output }) => {
      const from = nodes[source]?.liveness;
      const isChosen = from?.kind !== "switch" || output === undefined || chosen[from.selector] === output;
      return found[source] === true && isChosen;
    });
    found.push(liveness?.kind === "merge" ? given.some((one) => one) : given.every((one) => one));
  }
  return found;
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
            return [nodes[index]?.key, dequeues.join(), Math.max(0, ...depths)].join("|");
          };
          expect(new Set(region.map(classOf)).size).toBe(1);
          for (const [a, b] of [0, 1, 2, 3].map((bits) => [bits & 1, bits >> 1])) {
            const living = alive(nodes, { "a:0": a ?? 0, "b:0": b ?? 0 });
            expect(new Set(region.map((index) => living[index])).size).toBe(1);
          }
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

  const switching = (sources: readonly number[], selector: string, outputs = 2) =>
    node(sources, { ...outside, liveness: { kind: "switch", selector, outputs } });
  const from = (...sources: readonly (readonly [node: number, output: number])[]) => ({
    ...node([]),
    sources: sources.map(([source, output]) => ({ node: source, output })),
  });

  it("parts the branches of a Switch from each other and from what is before it", () => {
    const nodes = [
      node([]),
      switching([0], "p:0"),
      from([1, 0]),
      from([1, 1]),
      node([2]),
      node([2, 3], { ...outside, liveness: { kind: "merge", inputs: 2 } }),
      node([5]),
    ];
    expect(regionsOf(nodes)).toEqual([[0], [2, 4], [3], [6]]);
  });

  it("takes a branch together whose values come through several Switches that choose alike", () => {
    const inputs = [node([], outside), node([], outside)];
    const [alike, others] = ["p:0", "q:0"].map((other) => [
      ...inputs,
      switching([0], "p:0"),
      switching([1], other),
      from([2, 1]),
      from([3, 1]),
      node([4, 5]),
    ]);
    expect(regionsOf(alike ?? [])).toEqual([[4, 5, 6]]);
    expect(regionsOf(others ?? [])).toEqual([[4], [5], [6]]);
  });

  it("takes what is behind all branches together with what does not depend on them", () => {
    const merge = (sources: readonly number[]) =>
      node(sources, { ...outside, liveness: { kind: "merge", inputs: sources.length } });
    const input = node([], outside);
    const outsideFrom = (...sources: readonly (readonly [number, number])[]) => ({
      ...from(...sources),
      ...outside,
    });
    const choice = [input, switching([0], "p:0", 3)];
    const branches = [outsideFrom([1, 0]), outsideFrom([1, 1]), outsideFrom([1, 2])];
    const all = [...choice, ...branches, merge([2, 3, 4]), node([5]), node([0]), node([6, 7])];
    expect(regionsOf(all)).toEqual([[6, 7, 8]]);
    const some = [...choice, ...branches, merge([2, 3]), node([5]), node([0]), node([6, 7])];
    expect(regionsOf(some)).toEqual([[6], [7], [8]]);
  });

  describe("in a loop", () => {
    /** A loop of two variables and an invariant; its body adds all of them up. */
    const loop = ({
      waits = "never",
      second = 1,
    }: {
      waits?: GroupedNode["waits"];
      second?: number;
    } = {}) => {
      const inside = { number: 1, depth: 1, waits: waits !== "never" };
      const within = (one: GroupedNode, more: Partial<GroupedNode> = {}) => ({
        ...one,
        ...more,
        frame: inside,
      });
      const variable = (enter: number, next: number) =>
        within(node([enter]), { ...outside, liveness: { kind: "loop", next } });
      return [
        // 0 to 3: what enters, and the Enters of two variables and of the invariant.
        ...[node([], outside), node([0], outside), node([0], outside), node([0], outside)],
        ...[variable(1, 12), variable(2, 13)],
        // 6: the condition.
        within(node([4]), outside),
        ...[within(switching([4, 6], "6:0")), within(switching([5, 6], "6:0"))],
        // 9 to 11: the body.
        ...[within(from([7, 1], [8, 1])), within(node([9, 3])), within(node([], { ...outside, waits }))],
        within(node([10]), outside),
        within({ ...from([8, second]), ...outside }),
        // 14 and 15: Exits, 16 and 17 what is behind them.
        within({ ...from([7, 0]), ...outside }, { liveness: { kind: "exit" } }),
        within({ ...from([8, 0]), ...outside }, { liveness: { kind: "exit" } }),
        ...[node([14, 15]), node([0]), node([16, 17])],
      ];
    };

    it("takes nodes of variables and invariants together, and what is behind the loop", () => {
      expect(regionsOf(loop())).toEqual([
        [9, 10],
        [16, 17, 18],
      ]);
    });

    it("parts what is behind a loop that waits from what does not depend on it", () => {
      expect(regionsOf(loop({ waits: "unknown" }))).toEqual([[9, 10], [16], [17], [18]]);
    });

    it("parts nodes of variables of which one may have no next value", () => {
      const nodes = loop({ second: 0 });
      expect(regionsOf(nodes)).toEqual([
        [9, 10],
        [16, 17, 18],
      ]);
      const apart = [
        ...nodes,
        { ...node([4]), frame: nodes[4]?.frame },
        { ...node([5]), frame: nodes[4]?.frame },
      ];
      const joined = (all: readonly GroupedNode[]) => [...all, { ...node([19, 20]), frame: all[4]?.frame }];
      expect(regionsOf(joined(apart)).slice(-3)).toEqual([[19], [20], [21]]);
      const regular = [...loop(), apart[19] as GroupedNode, apart[20] as GroupedNode];
      expect(regionsOf(joined(regular)).at(-1)).toEqual([19, 20, 21]);
    });
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
