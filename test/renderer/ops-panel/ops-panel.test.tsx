// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { KernelCatalogue } from "../../../renderer/kernels/kernel-catalogue.js";
import { OpsPanel } from "../../../renderer/ops-panel/index.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useKernelCatalogue } from "../../../renderer/stores/kernel-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { useSettings } from "../../../renderer/stores/settings-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { documentOf, welcome } from "../document/graphs.js";
import { kernelList } from "../kernels/cases.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";
import { showEngines } from "../support/kernel-window.js";

const search = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Search ops" });
const rows = () => screen.getAllByRole("treeitem");
/** The row of a category or an op; its name comes first in it. */
function row(name: string, level: number): HTMLElement {
  const found = rows().find(
    (one) => one.textContent?.startsWith(name) && one.getAttribute("aria-level") === String(level),
  );
  if (found === undefined) throw new Error(`There is no row of ${name}.`);
  return found;
}
const category = (name: string) => row(name, 1);
const op = (name: string) => row(name, 2);
const active = () => {
  const id = search().getAttribute("aria-activedescendant") ?? "";
  return document.getElementById(id)?.textContent;
};
const nodes = () => [...useDocument.getState().document.nodes.values()];

beforeEach(() => {
  connect();
  openDocument(welcome());
});

describe("the ops panel", () => {
  it("says that the list is being read, and why it could not be", async () => {
    act(() => useOps.setState({ state: "loading" }));
    show(<OpsPanel />);
    expect(screen.getByText("Reading the op list…")).toBeDefined();
    act(() =>
      useOps.setState({
        state: "failed",
        problem: { code: "UNAVAILABLE", message: "The engine does not answer.", remedy: "Try again." },
      }),
    );
    expect(screen.getByRole("alert").textContent).toContain("The engine does not answer.");
    await expectAccessible();
  });

  it("reads the list again when asked, and not while the application is away", async () => {
    useOps.setState({ state: "failed" });
    useApp.setState({ connection: "lost" });
    const { user } = show(<OpsPanel />);
    const again = () => screen.getByRole("button", { name: "Try again" });
    await user.click(again());
    expect(calls).toEqual([]);
    act(() => useApp.setState({ connection: "connected" }));
    await user.click(again());
    expect(calls.map(({ method }) => method)).toEqual(["ops.list"]);
  });

  it("has categories that open with a click and with the arrows", async () => {
    const { user } = show(<OpsPanel />);
    expect(rows().every((row) => row.getAttribute("aria-expanded") === "false")).toBe(true);
    await expectAccessible();
    await user.click(category("Math"));
    expect(category("Math").getAttribute("aria-expanded")).toBe("true");
    expect(op("Add")).toBeDefined();
    await expectAccessible();
    focusOn(screen.getByRole("tree", { name: /^Ops of/ }));
    await user.keyboard("{ArrowLeft}");
    expect(category("Math").getAttribute("aria-expanded")).toBe("false");
    await user.keyboard("{ArrowRight}");
    expect(category("Math").getAttribute("aria-expanded")).toBe("true");
  });

  it("finds ops by parts of their names, counts them, and says where there is none", async () => {
    const { user } = show(<OpsPanel />);
    await user.type(search(), "matmul");
    const total = useOps.getState().entries.length;
    expect(screen.getByRole("status").textContent).toMatch(new RegExp(`^\\d+ of ${total}$`));
    expect(op("MatMul")).toBeDefined();
    expect(active()).toContain("MatMul");
    await expectAccessible();
    await user.type(search(), "zzz");
    expect(await screen.findByText("No op has “matmulzzz” in its name or its help.")).toBeDefined();
    await user.keyboard("{Escape}");
    expect(search().value).toBe("");
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("lists only categories with hits, and points to the layers that are called so", async () => {
    const { user } = show(<OpsPanel />);
    await user.type(search(), "dense");
    const shown = rows().map((one) => one.textContent ?? "");
    expect(shown[0]).toMatch(/^Layers1$/);
    expect(shown[1]).toMatch(/^Dense/);
    expect(shown.filter((text) => /\b0 of/.test(text))).toEqual([]);
    expect(active()).toMatch(/^Dense\b/);
    await expectAccessible();
    await user.click(op("Dense"));
    expect(useUi.getState().dialog).toEqual({ kind: "layer", name: "Dense" });
    await user.clear(search());
    await user.type(search(), "lstm");
    await user.keyboard("{Enter}");
    expect(useUi.getState().dialog).toEqual({ kind: "layer", name: "LSTM" });
    await user.clear(search());
    await user.type(search(), "conv2d");
    expect(active()).toMatch(/^Conv2Dinput/);
  });

  it("goes past the categories of what was found with the arrows", async () => {
    const { user } = show(<OpsPanel />);
    await user.type(search(), "reduce_sum");
    expect(active()).toMatch(/^Sum/);
    const last = rows().length;
    for (let step = 0; step < last; step++) await user.keyboard("{ArrowDown}");
    expect(active()).toBe(rows().at(-1)?.textContent);
  });

  it("adds the op that the keys have come to beside the selection, connected to it", async () => {
    documentActions.select(["z"]);
    const { user } = show(<OpsPanel />);
    await user.type(search(), "Neg");
    expect(active()).toMatch(/^Neg/);
    await user.keyboard("{Enter}");
    expect(nodes().find(({ op }) => op === "Neg")?.input).toEqual(["z"]);
    await user.keyboard("{ArrowDown}");
    expect(active()).not.toMatch(/^Neg\b/);
    await user.keyboard("{ArrowUp}");
    expect(active()).toMatch(/^Neg/);
  });

  it("tells what the op takes and gives beside its row, and adds it from there", async () => {
    openDocument(documentOf([]));
    const { user } = show(<OpsPanel />);
    await user.type(search(), "MatMul");
    await user.keyboard("{ArrowDown}{ArrowUp}");
    const card = screen.getByRole("tooltip");
    expect(card.textContent).toContain("transpose_a");
    expect(within(card).getByRole("link", { name: /^Docs/ }).getAttribute("href")).toMatch(/^https:\/\//);
    await expectAccessible();
    focusOn(within(card).getByRole("button", { name: "Add MatMul" }));
    await user.keyboard("{Enter}");
    expect(nodes().map(({ op }) => op)).toEqual(["MatMul"]);
  });

  it("says in words what the op and its arguments do", async () => {
    const { user } = show(<OpsPanel />);
    await user.type(search(), "MatMul");
    await user.keyboard("{ArrowDown}{ArrowUp}");
    const card = screen.getByRole("tooltip");
    expect(card.textContent).toContain("Multiplies two matrices.");
    expect(card.textContent).toContain("Transposes a before multiplying.");
  });

  it("lists favourites and recently used ops first", async () => {
    const { settings } = useSettings.getState();
    connect({ "settings.set": { ...settings, favouriteOps: ["MatMul"] } });
    const { user } = show(<OpsPanel />);
    act(() => void documentActions.addNode("Relu", { x: 0, y: 0 }));
    act(() => void documentActions.addNode("Neg", { x: 0, y: 0 }));
    expect(rows().map((one) => one.textContent)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Recently used2/), expect.stringMatching(/^Neg/)]),
    );
    await user.type(search(), "MatMul");
    await user.keyboard("{ArrowDown}{ArrowUp}");
    focusOn(screen.getByRole("button", { name: "Add MatMul to the favourites" }));
    await user.keyboard("{Enter}");
    await user.click(search());
    expect(calls).toEqual([{ method: "settings.set", params: { favouriteOps: ["MatMul"] } }]);
    await user.keyboard("{Escape}");
    await user.clear(search());
    expect(category("Favourites").getAttribute("aria-expanded")).toBe("true");
    expect(op("MatMul")).toBeDefined();
    await expectAccessible();
    await user.click(category("Favourites"));
    expect(category("Favourites").getAttribute("aria-expanded")).toBe("false");
  });

  it("leaves out what no engine of the cluster can run, until it is asked for all", async () => {
    connect({ "settings.set": { ...useSettings.getState().settings, onlyRunnableOps: false } });
    useKernelCatalogue.setState({ catalogue: new KernelCatalogue(kernelList) });
    showEngines({ "worker/0": "portable" });
    const { user } = show(<OpsPanel />);
    const all = useOps.getState().entries;
    const known = all.filter(({ name }) => kernelList.kernels.some((kernel) => kernel.op === name));
    expect(known.length).toBeLessThan(all.length);
    expect(search().placeholder).toBe(`Search ${known.length} ops`);
    await expectAccessible();
    await user.click(screen.getByRole("switch", { name: "Only what the cluster can run" }));
    expect(search().placeholder).toBe(`Search ${all.length} ops`);
  });

  it("adds an op with a double click, in one step that can be undone", async () => {
    const { user } = show(<OpsPanel />);
    await user.type(search(), "Placeholder");
    await user.dblClick(op("Placeholder"));
    expect(nodes().at(-1)?.op).toBe("Placeholder");
    act(() => documentActions.undo());
    expect(nodes()).toHaveLength(5);
  });

  it("lists every op that the engine has, but internal ones", () => {
    expect(useOps.getState().entries.length).toBeGreaterThan(1000);
    expect(bundledOpRegistry().get("_Send")).toBeDefined();
    show(<OpsPanel />);
    expect(search().placeholder).toBe(`Search ${useOps.getState().entries.length} ops`);
    expect(useOps.getState().entries.some(({ name }) => name.startsWith("_"))).toBe(false);
  });
});
