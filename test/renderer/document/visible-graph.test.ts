import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import {
  adoptHierarchy,
  hierarchyFor,
  NO_WEIGHTS,
  slicedHierarchy,
} from "../../../renderer/document/arrangement.js";
import { patchedHierarchy } from "../../../renderer/document/hierarchy-patch.js";
import { labelIn, type Scope, scopeOf } from "../../../renderer/document/scope-tree.js";
import {
  firstOpen,
  type Hierarchy,
  nodesInScope,
  type VisibleGraph,
  visibleAfter,
  visibleGraph,
} from "../../../renderer/document/visible-graph.js";
import { weightsOf } from "../../../renderer/document/weights.js";
import { type Edge, followWiring, wiringOf } from "../../../renderer/document/wiring.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import fc from "../../support/seeded-check.js";
import { node } from "./graphs.js";
import { frozenNetwork, trainedVariable } from "./real-graphs.js";

type Nodes = ReadonlyMap<string, NodeDef>;

const mapOf = (nodes: readonly NodeDef[]): Nodes => new Map(nodes.map((one) => [one.name, one]));

function outline(scope: Scope, depth = 1): string[] {
  return scope.children.flatMap((child) => {
    if (typeof child === "string") return [child];
    return [`${child.label} (${child.size})`, ...(depth > 1 ? outline(child, depth - 1) : [])];
  });
}

function find(hierarchy: Hierarchy, label: string): Scope {
  for (const scope of hierarchy.tree.byId.values()) if (scope.label === label) return scope;
  throw new Error(`There is no scope ${label}.`);
}

describe("weights", () => {
  it("are folded with their reads into the nodes that use them", () => {
    const nodes = mapOf(frozenNetwork(1));
    const { owners, parameters } = atOnce(weightsOf(nodes, wiringOf(nodes)));
    const conv = "net/block_0_conv/Conv2D";
    expect(parameters.get(conv)).toEqual([{ name: `${conv}/ReadVariableOp/resource`, input: 1 }]);
    expect([...(owners.get(`${conv}/ReadVariableOp`) ?? [])]).toEqual([conv]);
    expect(owners.has(conv)).toBe(false);
  });

  it("of a variable take its initializer along, and are listed at every node that uses it", () => {
    const nodes = mapOf(trainedVariable());
    const { owners, parameters } = atOnce(weightsOf(nodes, wiringOf(nodes)));
    const folded = [...owners.keys()].sort();
    expect(folded).toEqual([
      "rate",
      "w",
      "w/Assign",
      "w/Initializer/random_uniform",
      "w/Initializer/random_uniform/shape",
      "w/read",
    ]);
    expect([...(owners.get("w") ?? [])].sort()).toEqual(["save/Assign", "train", "y"]);
    expect(parameters.get("train")?.map(({ name, input }) => `${name} ${input}`)).toEqual(
      expect.arrayContaining(["w 0", "rate 1"]),
    );
  });

  it("that nothing uses, or that are all there is, are nodes as others", () => {
    const nodes = mapOf([
      node("c", "Const"),
      node("d", "Const"),
      node("copy", "Identity", ["d"]),
      node("after", "NoOp", ["^c"]),
    ]);
    expect(atOnce(weightsOf(nodes, wiringOf(nodes))).owners.size).toBe(0);
  });
});

describe("the scopes of a network", () => {
  const nodes = mapOf(frozenNetwork(9));
  const hierarchy = hierarchyFor(nodes, NO_WEIGHTS);

  it("are its blocks, and blocks that follow each other and are built alike are one stack", () => {
    expect(outline(hierarchy.tree.root)).toEqual(["x", "net (30)", "y"]);
    expect(outline(find(hierarchy, "net"), 2)).toEqual([
      "block_0 (4)",
      ...["block_0_conv", "block_0_bn", "block_0_relu", "block_0_out"].map((layer) =>
        expect.stringContaining(layer),
      ),
      "block_1–2 (6)",
      "block_1 (3)",
      "block_2 (3)",
      "block_3 (4)",
      ...["block_3_conv", "block_3_bn", "block_3_relu", "block_3_out"].map((layer) =>
        expect.stringContaining(layer),
      ),
      "block_4–5 (6)",
      "block_4 (3)",
      "block_5 (3)",
      "block_6 (4)",
      ...["block_6_conv", "block_6_bn", "block_6_relu", "block_6_out"].map((layer) =>
        expect.stringContaining(layer),
      ),
      "block_7–8 (6)",
      "block_7 (3)",
      "block_8 (3)",
    ]);
  });

  it("name a node by its layer", () => {
    expect(labelIn(find(hierarchy, "block_1"), "net/block_1_conv/Conv2D")).toBe("block_1_conv");
    const withWeights = hierarchyFor(nodes, "all");
    const conv = "net/block_1_conv/Conv2D";
    expect(labelIn(scopeOf(withWeights.tree, conv), conv)).toBe("Conv2D");
  });

  it("count folded nodes as theirs", () => {
    expect(nodesInScope(find(hierarchy, "block_1"), hierarchy).length).toBe(7);
  });

  it("do not mistake layers of one kind for a block", () => {
    const dense = Array.from({ length: 14 }, (_, index) =>
      node(`dense_${index}`, "MatMul", index === 0 ? [] : [`dense_${index - 1}`]),
    );
    const { tree } = hierarchyFor(mapOf(dense), NO_WEIGHTS);
    expect(tree.root.children.length).toBe(14);
  });

  it("stack no blocks on different devices, nor with weights of different shapes", () => {
    const pinned = frozenNetwork(9).map((one) =>
      one.name.startsWith("net/block_2_") ? { ...one, device: "/job:worker/task:1" } : one,
    );
    const labels = outline(find(hierarchyFor(mapOf(pinned), NO_WEIGHTS), "net"));
    expect(labels).toContain("block_1 (3)");
    expect(labels).toContain("block_2 (3)");
    expect(labels).toContain("block_4–5 (6)");
  });
});

describe("what is drawn of a network", () => {
  const nodes = mapOf(frozenNetwork(9));
  const hierarchy = hierarchyFor(nodes, NO_WEIGHTS);

  it("is at first as much as can be read", () => {
    const open = new Set(firstOpen(hierarchy));
    const { items } = visibleGraph(nodes, hierarchy, open);
    const drawn = items.filter(({ kind }) => kind !== "frame").length;
    expect(drawn).toBeGreaterThan(8);
    expect(drawn).toBeLessThanOrEqual(60);
  });

  it("bundles the edges of closed scopes, and leaves each of the graph's in one of them", () => {
    const closed = visibleGraph(nodes, hierarchy, new Set([find(hierarchy, "net").id]));
    const edges = [...closed.edges.values()];
    const between = edges.find(({ from }) => from === find(hierarchy, "block_0").id);
    expect(between?.to).toBe(find(hierarchy, "block_1–2").id);
    expect(edges.find(({ to, output }) => to === "y" && output < 0)?.from).toBe(
      find(hierarchy, "block_0").id,
    );
  });

  it("shows the parameters of a node on demand", () => {
    const conv = "net/block_0_conv/Conv2D";
    const opened = hierarchyFor(nodes, new Set([conv]));
    const all = visibleGraph(nodes, opened, new Set(opened.tree.byId.keys()));
    const names = all.items.map(({ id }) => id);
    expect(names).toContain(`${conv}/ReadVariableOp/resource`);
    expect(names).not.toContain("net/block_0_bn/BiasAdd/ReadVariableOp");
  });
});

/** Any graph with scopes: nodes that read earlier ones. */
const graphs = fc
  .array(
    fc.record({
      path: fc.array(fc.constantFrom("a", "b", "block_1", "block_2", "block_1_x"), { maxLength: 3 }),
      op: fc.constantFrom("Const", "Identity", "MatMul", "VariableV2", "Assign", "NoOp"),
      reads: fc.array(fc.nat(60), { maxLength: 3 }),
      controls: fc.array(fc.nat(60), { maxLength: 1 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) => {
    const names = list.map(({ path }, index) => [...path, `n${index}`].join("/"));
    return mapOf(
      list.map(({ op, reads, controls }, index) => {
        const earlier = (to: number) => names[to % Math.max(1, index)] ?? "";
        const inputs = index === 0 ? [] : [...reads.map(earlier), ...controls.map((to) => `^${earlier(to)}`)];
        return node(names[index] ?? "", op, inputs);
      }),
    );
  });

/** The nodes that each item stands for, folded ones left out. */
function contents({ items, hierarchy }: VisibleGraph): string[] {
  return items.flatMap((item) => {
    if (item.kind === "frame") return [];
    return item.kind === "node" ? [item.id] : nodesInScope(item.scope, hierarchy).filter(hierarchy.isShown);
  });
}

describe("whatever is open", () => {
  it("every drawn node is in one place, and every edge between places is in one bundle", () => {
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(30)), (nodes, picks) => {
        const hierarchy = hierarchyFor(nodes, NO_WEIGHTS);
        const ids = [...hierarchy.tree.byId.keys()];
        const open = new Set(picks.flatMap((pick) => ids[pick % ids.length] ?? []));
        const visible = visibleGraph(nodes, hierarchy, open);
        expect(contents(visible).sort()).toEqual([...nodes.keys()].filter(hierarchy.isShown).sort());

        const shown = new Map(visible.items.map((item) => [item.id, item]));
        const edges = [...visible.edges.values()];
        const wires = edges.flatMap((edge) => edge.wires);
        const crossing = wiringOf(nodes).edges.filter(
          ({ from, to }) =>
            hierarchy.isShown(from) &&
            hierarchy.isShown(to) &&
            (visible.itemOf(from) !== visible.itemOf(to) || visible.itemOf(from) === from),
        );
        expect(wires.map(({ id }) => id).sort()).toEqual(crossing.map(({ id }) => id).sort());
        expect(edges.map(({ id }) => id)).toEqual([...visible.edges.keys()]);
        for (const { from, to, output, wires: bundle } of edges) {
          expect(shown.get(from)?.kind).not.toBe("frame");
          expect(shown.get(to)?.kind).not.toBe("frame");
          // An edge that ends at a node says whether it is a control edge.
          const atNode = shown.get(from)?.kind === "node" || shown.get(to)?.kind === "node";
          if (atNode) expect(bundle.every((wire) => wire.output < 0)).toBe(output < 0);
        }
        for (const name of nodes.keys()) {
          const item = visible.itemOf(name);
          if (hierarchy.isShown(name)) expect(shown.has(item ?? "")).toBe(true);
        }
      }),
    );
  });
});

/** The graph with other inputs of some nodes, without some, and with new ones; and the names of all these. */
function edited(nodes: Nodes, picks: readonly number[]): { after: Nodes; rewired: ReadonlySet<string> } {
  const names = [...nodes.keys()];
  const rewired = new Set<string>();
  const after = new Map(nodes);
  for (const [index, pick] of picks.entries()) {
    const name = names[pick % names.length] ?? "";
    const known = after.get(name);
    rewired.add(name);
    if (index % 3 === 0) after.delete(name);
    else if (index % 3 === 1 && known) after.set(name, { ...known, input: [names[index] ?? ""] });
    else {
      const added = `${name.slice(0, name.lastIndexOf("/") + 1)}new${index}`;
      rewired.add(added);
      after.set(added, node(added, "MatMul", [name]));
    }
  }
  return { after, rewired };
}

describe("after an edit of a large graph", () => {
  const text = ({ id, from, to, input, output }: Edge) => `${id} ${from}:${output} ${to}:${input}`;

  /** The edges that one state of a graph has and another has not. */
  function missingIn(other: Nodes, nodes: Nodes): readonly Edge[] {
    const known = new Set(wiringOf(other).edges.map(text));
    return wiringOf(nodes).edges.filter((edge) => !known.has(text(edge)));
  }

  function expectWhole({ tree }: Hierarchy): void {
    expect(tree.byId.get(tree.root.id)).toBe(tree.root);
    for (const scope of tree.byId.values()) {
      const inner = scope.children.map((child) => (typeof child === "string" ? 1 : child.size));
      expect(inner.reduce((sum, size) => sum + size, 0)).toBe(scope.size);
      for (const child of scope.children) {
        if (typeof child === "string") expect(scopeOf(tree, child)).toBe(scope);
        else {
          expect(child.parent).toBe(scope.id);
          expect(tree.byId.get(child.id)).toBe(child);
        }
      }
    }
  }

  it("the scopes that were there hold what came and no longer what went, and the edges are those of the graph", () => {
    fc.assert(
      fc.property(
        graphs,
        fc.array(fc.array(fc.nat(60), { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(30)),
        (first, edits, opened) => {
          let nodes = first;
          let hierarchy = hierarchyFor(nodes, NO_WEIGHTS);
          const ids = [...hierarchy.tree.byId.keys()];
          const open = new Set(opened.flatMap((pick) => ids[pick % ids.length] ?? []));
          let adapted = visibleGraph(nodes, hierarchy, open);
          for (const picks of edits) {
            const { after, rewired } = edited(nodes, picks);
            hierarchy = patchedHierarchy(hierarchy, after, rewired);
            expectWhole(hierarchy);
            const change = { went: missingIn(after, nodes), came: missingIn(nodes, after) };
            adapted = visibleAfter(adapted, hierarchy, open, change);
            nodes = after;
            const whole = visibleGraph(nodes, hierarchy, open);
            const drawn = [...nodes.keys()].filter((name) => hierarchy.isShown(name));
            expect(contents(whole).sort()).toEqual(drawn.sort());
            const described = ({ edges }: VisibleGraph) =>
              [...edges.values()].map(({ wires, ...edge }) => [text(edge), wires.map(text).sort()]).sort();
            expect(described(adapted)).toEqual(described(whole));
            expect(adapted.items).toEqual(whole.items);
          }
        },
      ),
    );
  });

  it("scopes are only adapted, until those that are found anew are adopted", () => {
    const nodes = mapOf(Array.from({ length: 3000 }, (_, index) => node(`s${index % 10}/n${index}`, "NoOp")));
    const first = hierarchyFor(nodes, NO_WEIGHTS);
    const added = node("s3/new", "NoOp", ["^s3/n3"]);
    const after = new Map(nodes).set(added.name, added);
    followWiring(nodes, after, new Set([added.name]));
    const adapted = hierarchyFor(after, NO_WEIGHTS);
    expect([first.isPatched, adapted.isPatched]).toEqual([false, true]);
    expect(scopeOf(adapted.tree, added.name)?.path).toBe("s3");
    const [known, now] = [first, adapted].map(
      ({ tree }) =>
        (label: string) =>
          tree.byId.get(`scope:${label}`),
    );
    expect(now?.("s3")).not.toBe(known?.("s3"));
    expect(now?.("s4")).toBe(known?.("s4"));
    const anew = atOnce(slicedHierarchy(after, NO_WEIGHTS));
    expect(anew.isPatched).toBe(false);
    expect(hierarchyFor(after, NO_WEIGHTS)).toBe(adapted);
    adoptHierarchy(after, NO_WEIGHTS, anew);
    expect(hierarchyFor(after, NO_WEIGHTS)).toBe(anew);
  });
});
