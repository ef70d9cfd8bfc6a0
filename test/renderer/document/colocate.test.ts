import { describe, expect, it } from "vitest";
import { colocate, separate } from "../../../renderer/document/edits/colocate.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import { stringListAttr } from "../../../worker-runtime/graph/attr-values.js";
import { COLOCATION_ATTR, colocationGroups } from "../../../worker-runtime/graph/colocation-groups.js";
import { documentOf, edited, placeholder, reasonOf } from "./graphs.js";

const document = documentOf(["v", "a", "b"].map((name) => placeholder(name)));
const groupsOf = (changed: typeof document, name: string) =>
  colocationGroups(changed.nodes.get(name)?.attr ?? new Map());

describe("colocating nodes", () => {
  it("adds the other node's group to each, not to that node itself, and follows its name", () => {
    const changed = edited(document, colocate(document, ["a", "b", "v"], "v"));
    expect(["v", "a", "b"].map((name) => groupsOf(changed, name))).toEqual([[], ["loc:@v"], ["loc:@v"]]);
    expect(groupsOf(edited(changed, rename(changed, "v", "w")), "a")).toEqual(["loc:@w"]);
    expect(reasonOf(colocate(changed, ["a"], "v"))).toBe("Already colocated with v.");
    const twice = edited(changed, colocate(changed, ["a"], "b"));
    expect(groupsOf(twice, "a")).toEqual(["loc:@v", "loc:@b"]);
  });

  it("refuses a node that the graph lacks, and the node itself", () => {
    expect(reasonOf(colocate(document, ["a"], "c"))).toBe("The graph has no node named c.");
    expect(reasonOf(colocate(document, ["v"], "v"))).toMatch(/its own device already/);
  });

  it("is undone by releasing them; groups of another kind stay", () => {
    const a = {
      ...placeholder("a"),
      attr: new Map([[COLOCATION_ATTR, stringListAttr(["loc:@v", "other"])]]),
    };
    const before = documentOf([placeholder("v"), a]);
    const after = edited(before, separate(before, ["a", "v"]));
    expect(groupsOf(after, "a")).toEqual(["other"]);
    const alone = edited(document, colocate(document, ["a"], "v"));
    expect(
      edited(alone, separate(alone, ["a"]))
        .nodes.get("a")
        ?.attr.has(COLOCATION_ATTR),
    ).toBe(false);
    expect(reasonOf(separate(document, ["a"]))).toBe("Nothing of it is colocated with another node.");
  });
});
