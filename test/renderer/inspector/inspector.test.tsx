// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { Inspector } from "../../../renderer/inspector/index.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { binary, constant, documentOf, node, placeholder, type, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const select = (...names: string[]) => act(() => documentActions.select(names));
const nodeOf = (name: string) => useDocument.getState().document.nodes.get(name);
const nameField = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
const device = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "Device" });
/** The section with a heading. */
function section(heading: string | RegExp): HTMLElement {
  const found = screen.getByRole("heading", { name: heading }).parentElement;
  if (found === null) throw new Error(`${String(heading)} has no section.`);
  return found;
}

beforeEach(() => {
  connect();
  openDocument(welcome());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
});

describe("the inspector without a selection", () => {
  it("offers the node whose value a run fetches, and what to run", async () => {
    const { user } = show(<Inspector />);
    expect(screen.getByText("Nothing selected")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: /^Choose what to run/ }));
    expect(useUi.getState()).toMatchObject({ dockOpen: true, dockTab: "run" });
    await user.click(screen.getByRole("button", { name: "Select z" }));
    expect(nameField().value).toBe("z");
  });

  it("offers nothing where there is no node", () => {
    openDocument(documentOf([]));
    show(<Inspector />);
    expect(screen.queryByRole("button", { name: /^Select/ })).toBeNull();
  });
});

describe("a node in the inspector", () => {
  it("is renamed with Enter, and keeps its name with Escape", async () => {
    const { user } = show(<Inspector />);
    select("x");
    await expectAccessible();
    await user.clear(nameField());
    await user.type(nameField(), "sum{Enter}");
    expect([nodeOf("x"), nodeOf("sum")?.op]).toEqual([undefined, "AddV2"]);
    expect(nodeOf("z")?.input).toEqual(["sum", "y"]);
    await user.type(nameField(), "mer{Escape}");
    expect(nameField().value).toBe("sum");
    expect(nodeOf("summer")).toBeUndefined();
  });

  it("says at its field why a name cannot be had", async () => {
    const { user } = show(<Inspector />);
    select("x");
    await user.clear(nameField());
    await user.type(nameField(), "y{Enter}");
    expect(nameField().getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole("alert").textContent).toMatch(/y/);
    expect(nodeOf("x")).toBeDefined();
    await expectAccessible();
    await user.type(nameField(), "2");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("is pinned to a task of the cluster, and to none", async () => {
    const { user } = show(<Inspector />);
    select("x");
    expect(device().value).toBe("");
    await user.selectOptions(device(), "/job:worker/task:1");
    expect(nodeOf("x")?.device).toBe("/job:worker/task:1");
    await user.selectOptions(device(), "auto");
    expect(nodeOf("x")?.device).toBe("");
  });

  it("that is pinned to a task that is not there says so, and can be unpinned", async () => {
    documentActions.pin(["x"], "/job:worker/task:7");
    const { user } = show(<Inspector />);
    select("x");
    expect(screen.getByRole("alert").textContent).toContain("The cluster has no task worker/7.");
    expect(within(device()).getByRole("option", { name: /task:7 \(not in the cluster\)/ })).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Unpin x" }));
    expect(nodeOf("x")?.device).toBe("");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("has a control for each attribute that suits its type", async () => {
    openDocument(
      documentOf([
        placeholder("p"),
        node("m", "MatMul", ["p", "p"], {
          T: type("float32"),
          transpose_a: { value: { $case: "b", value: false } },
        }),
      ]),
    );
    const { user } = show(<Inspector />);
    select("p");
    await user.selectOptions(screen.getByRole("combobox", { name: "dtype" }), "int32");
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "dtype" }).selectedOptions[0]?.text).toBe(
      "int32",
    );
    await user.clear(screen.getByRole("textbox", { name: "shape" }));
    await user.type(screen.getByRole("textbox", { name: "shape" }), "no shape{Enter}");
    expect(screen.getByRole("alert").textContent).not.toBe("");
    await expectAccessible();
    select("m");
    // The dtype of what is connected decides.
    expect(screen.queryByRole("combobox", { name: "T" })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: "transpose_a", checked: false }));
    expect(screen.getByRole("checkbox", { name: "transpose_a", checked: true })).toBeDefined();
    expect(nodeOf("m")?.attr.get("transpose_a")?.value).toEqual({ $case: "b", value: true });
  });

  it("shows what it reads and who reads it, goes there, and cuts the edge", async () => {
    const { user } = show(<Inspector />);
    select("x");
    const ports = section("Inputs and outputs");
    await expectAccessible();
    await user.click(within(ports).getByRole("button", { name: "Disconnect y" }));
    expect(nodeOf("x")?.input[1]).not.toBe("b");
    const open = screen.getByRole("button", { name: "y is not connected. Connect it" });
    await user.click(open);
    expect(useCanvas.getState().edgeMenu?.from).toEqual({ type: "input", end: { node: "x", input: 1 } });
    await user.click(screen.getByRole("button", { name: "a:0" }));
    expect([...useDocument.getState().selection]).toEqual(["a"]);
    expect(screen.getByText("2 readers")).toBeDefined();
  });

  it("is fetched or not by its switch, with the keyboard", async () => {
    const { user } = show(<Inspector />);
    select("x");
    const fetch = () => screen.getByRole("switch", { name: "Fetch x:0" });
    expect(fetch().getAttribute("aria-checked")).toBe("false");
    fetch().focus();
    await user.keyboard(" ");
    expect(fetch().getAttribute("aria-checked")).toBe("true");
    expect(useDocument.getState().document.runConfig.fetches).toContain("x:0");
  });

  it("offers what makes shapes fit, as one step", async () => {
    openDocument(
      documentOf([
        constant("a", "[[1, 2, 3]]"),
        constant("b", "[[4, 5, 6]]"),
        binary("product", "MatMul", "a", "b"),
      ]),
    );
    const { user } = show(<Inspector />);
    select("product");
    expect(screen.getByText(/the inner sizes, 3 and 1, must be equal/)).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Transpose b" }));
    expect(useDocument.getState().problems.size).toBe(0);
    act(() => documentActions.undo());
    expect(useDocument.getState().problems.size).toBe(1);
  });

  it("shows its problem, and puts a Cast where dtypes differ", async () => {
    openDocument(
      documentOf([constant("i", "1", "int32"), constant("f", "2"), binary("s", "AddV2", "i", "f")]),
    );
    const { user } = show(<Inspector />);
    select("s");
    expect(screen.getAllByRole("alert")[0]?.textContent).toMatch(/takes float32, but i gives int32/);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Insert a Cast" }));
    expect(screen.queryByRole("alert")).toBeNull();
    expect([...useDocument.getState().document.nodes.values()].map(({ op }) => op)).toContain("Cast");
  });

  it("says where and how long it ran, and that this was before an edit", async () => {
    documentActions.pin(["x"], "/job:worker/task:1");
    const { user } = show(<Inspector />);
    select("x");
    expect(screen.getByText("not run yet")).toBeDefined();
    act(() => showRun(runOf({ state: "running", step: 940, steps: 1000 })));
    expect(screen.getByText("not known, since no step was traced")).toBeDefined();
    act(() => showRun(runOf({ state: "running", step: 941, steps: 1000, tracedStep: 941 })));
    expect(screen.getByText("did not run in step 941")).toBeDefined();
    act(() =>
      showRun(
        runOf({
          tracedStep: 1,
          fetches: [
            { name: "x:0", dtype: "float32", shape: [], values: ["5.0"], elementCount: 1, byteLength: 4 },
          ],
          nodes: [
            {
              node: "x",
              device: "/job:worker/replica:0/task:1/device:CPU:0",
              startMicros: 5,
              durationMicros: 1500,
              outputBytes: 4,
            },
          ],
        }),
      ),
    );
    expect(screen.getByText(/^laptop, CPU:0/).textContent).toContain("pinned, step 1");
    expect(within(section(/^Time/)).getByText(/^1[.,]?5/)).toBeDefined();
    expect(screen.getAllByText("5.0").length).toBeGreaterThan(0);
    await expectAccessible();
    await user.selectOptions(device(), "auto");
    expect(screen.getByText(/^laptop,/).textContent).toContain("before edit");
  });
});

describe("several nodes in the inspector", () => {
  it("are counted by op, pinned together, and one of them is chosen", async () => {
    documentActions.pin(["x"], "/job:worker/task:0");
    const { user } = show(<Inspector />);
    select("x", "y", "z");
    expect(screen.getByText("3 nodes")).toBeDefined();
    expect(screen.getByText("Now on worker/0, auto")).toBeDefined();
    expect(device().selectedOptions[0]?.text).toBe("different");
    expect(section("Ops").textContent).toBe("OpsAddV22Mul1");
    await expectAccessible();
    await user.selectOptions(device(), "/job:worker/task:1");
    expect(["x", "y", "z"].map((name) => nodeOf(name)?.device)).toEqual(Array(3).fill("/job:worker/task:1"));
    act(() => documentActions.undo());
    expect(nodeOf("y")?.device).toBe("");
    await user.click(screen.getByRole("button", { name: "y" }));
    expect(nameField().value).toBe("y");
  });
});

describe("what a node shares its device with", () => {
  it("is named and can be selected and released; a device without a task is said to match any", async () => {
    documentActions.colocate(["x"], "z");
    documentActions.pin(["x"], "/job:worker");
    const { user } = show(<Inspector />);
    select("x");
    expect(device().selectedOptions[0]?.text).toBe("/job:worker (any that matches)");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Release" }));
    expect(screen.queryByRole("button", { name: "Select z" })).toBeNull();
    act(() => documentActions.undo());
    await user.click(screen.getByRole("button", { name: "Select z" }));
    expect(nameField().value).toBe("z");
  });
});
