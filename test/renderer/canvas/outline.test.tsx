// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { ListView } from "../../../renderer/canvas/list-view.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { binary, constant, documentOf } from "../document/graphs.js";
import { expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

afterEach(() => useCanvas.setState({ listOpen: false }));

/** Two scopes, one in the other, and a result that reads both. */
const scoped = () =>
  documentOf([
    constant("net/a", "3"),
    constant("net/inner/b", "2"),
    binary("net/inner/c", "Mul", "net/a", "net/inner/b"),
    binary("z", "AddV2", "net/inner/c", "net/a"),
  ]);
const open = () => act(() => useCanvas.setState({ listOpen: true }));
const names = () => screen.getAllByRole("treeitem").map((row) => row.querySelector("b")?.textContent);
const row = (name: RegExp) => screen.getByRole("treeitem", { name });
const selected = () => [...useDocument.getState().selection];
const current = () =>
  document.getElementById(screen.getByRole("tree").getAttribute("aria-activedescendant") ?? "")?.textContent;

describe("the outline of a graph in scopes", () => {
  it("opens scopes and nodes by keys, and selects what it goes to", async () => {
    openDocument(scoped());
    const { user } = show(<ListView />);
    open();
    expect(names()).toEqual(["net", "z"]);
    expect(row(/^net, scope, 3 nodes/).getAttribute("aria-expanded")).toBe("false");
    await user.keyboard("{ArrowRight}");
    expect(names()).toEqual(["net", "a", "inner", "z"]);
    await user.keyboard("{ArrowRight}{ArrowDown}");
    // A scope stands for what is in it.
    expect(selected()).toEqual(["net/inner/b", "net/inner/c"]);
    await user.keyboard("{End}{ArrowRight}");
    expect(row(/^input 0 net\/inner\/c:0, \[\]/).getAttribute("aria-level")).toBe("2");
    await expectAccessible();
    // Along the edge: what hides the other end is opened.
    await user.keyboard("{ArrowDown}{Enter}");
    expect(selected()).toEqual(["net/inner/c"]);
    expect(current()).toMatch(/^net\/inner\/c, Mul/);
    await user.keyboard("{ArrowLeft}");
    expect(current()).toMatch(/^net\/inner, scope/);
    await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
    expect(names().slice(0, 2)).toEqual(["net", "z"]);
  });

  it("goes to what is selected elsewhere, and stays beside what was deleted", async () => {
    openDocument(scoped());
    const { user } = show(<ListView />);
    open();
    act(() => documentActions.select(["net/inner/b"]));
    expect(current()).toMatch(/^net\/inner\/b, Const/);
    expect(row(/^net\/inner\/b/).getAttribute("aria-selected")).toBe("true");
    act(() => documentActions.deleteNodes(["net/inner/b"]));
    await user.keyboard("{ArrowDown}");
    expect(current()).toMatch(/^z/);
    // The canvas has the keys again, at the node.
    await user.keyboard("{Enter}");
    expect(screen.queryByRole("tree")).toBeNull();
    expect(selected()).toEqual(["z"]);
  });

  it("says what a node lacks, and has frames and notes", async () => {
    const note = { id: "note 1", kind: "note", text: "Trained twice", colour: "none" } as const;
    openDocument({
      ...scoped(),
      annotations: [{ ...note, at: { x: 0, y: 0 }, width: 96, height: 48 }],
    });
    show(<ListView />);
    open();
    expect(row(/^note, Trained twice$/)).toBeDefined();
    act(() => documentActions.disconnect([{ node: "z", input: 0 }]));
    expect(row(/^z, AddV2, auto, x is missing, inputs net\/a$/)).toBeDefined();
  });
});
