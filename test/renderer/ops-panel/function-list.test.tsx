// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import Dialogs from "../../../renderer/app/dialogs.js";
import { Breadcrumbs } from "../../../renderer/canvas/breadcrumbs.js";
import { addBorderCommands, borderCommands } from "../../../renderer/commands/function-commands.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { libraryOf } from "../../../renderer/document/library.js";
import { Inspector } from "../../../renderer/inspector/index.js";
import { OpsPanel } from "../../../renderer/ops-panel/index.js";
import { documentActions, useDocument, useGraph } from "../../../renderer/stores/document-store.js";
import { functionActions } from "../../../renderer/stores/function-actions.js";
import { openFunction, shownFunction } from "../../../renderer/stores/function-bodies.js";
import { edited, lookup, welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const names = () => [...libraryOf(useDocument.getState().document.metaGraph).keys()];
const section = () => screen.queryByRole("region", { name: "Functions of the graph" });

beforeEach(() => {
  connect();
  const document = welcome();
  openDocument(edited(document, extractFunction(document, lookup, ["x", "y"])));
});

it("functions are listed below the ops with their calls, opened, and deleted when nothing calls them", async () => {
  const { user } = show(<OpsPanel />);
  expect(section()?.textContent).toContain("1 call");
  expect(screen.queryByRole("button", { name: /unused/ })).toBeNull();
  await expectAccessible();
  await user.click(screen.getByRole("button", { name: "Open the function extracted" }));
  expect(shownFunction()).toBe("extracted");
  act(() => {
    documentActions.undo();
  });
  act(() => {
    documentActions.load({ name: "g", kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) });
  });
  expect(section()).toBeNull();
});

it("functions that nothing calls are deleted in one step", async () => {
  documentActions.deleteNodes(["extracted"]);
  const { user } = show(<OpsPanel />);
  expect(section()?.textContent).toContain("not called");
  await user.click(screen.getByRole("button", { name: /^Delete unused functions/ }));
  expect(names()).toEqual([]);
  expect(section()).toBeNull();
  act(() => documentActions.undo());
  expect(names()).toEqual(["extracted"]);
});

it("a function is renamed in a dialog, which says why a name cannot be", async () => {
  const { user } = show(
    <>
      <OpsPanel />
      <Dialogs />
    </>,
  );
  await user.click(screen.getByRole("button", { name: "Rename the function extracted…" }));
  const field = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(field);
  await user.type(field, "MatMul");
  await user.click(screen.getByRole("button", { name: "Rename" }));
  expect(screen.getByRole("alert").textContent).toMatch(/named MatMul/);
  await expectAccessible();
  await user.clear(field);
  await user.type(field, "both{Enter}");
  expect(names()).toEqual(["both"]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("the inspector leads into the functions of a call, and the breadcrumbs out of them", async () => {
  documentActions.select(["extracted"]);
  const { user } = show(
    <>
      <Breadcrumbs />
      <Inspector />
    </>,
  );
  expect(screen.getByText("Graph")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Open extracted" }));
  act(() => {
    functionActions.extract(["x", "y"]);
  });
  await user.click(screen.getByRole("button", { name: "Open extracted_1" }));
  expect(shownFunction()).toBe("extracted_1");
  const crumbs = screen.getByRole("navigation", { name: "Open functions and scopes" });
  expect(crumbs.textContent).toBe("Graph›extracted›extracted_1");
  await expectAccessible();

  // An argument has no device, and nothing within a function is fetched by itself.
  act(() => documentActions.select(["a"]));
  expect(screen.getByText("argument")).toBeDefined();
  expect(screen.queryByText("Device")).toBeNull();
  expect(screen.queryByText(/^Fetch/)).toBeNull();
  await expectAccessible();

  await user.click(screen.getByRole("button", { name: "extracted" }));
  expect(shownFunction()).toBe("extracted");
  expect([...useGraph.getState().selection]).toEqual(["extracted_1"]);
  await user.click(screen.getByRole("button", { name: "Graph" }));
  expect(shownFunction()).toBeUndefined();
});

it("arguments and results of the shown function are added and moved, and its calls follow", async () => {
  const inputs = () => useDocument.getState().document.nodes.get("extracted")?.input;
  expect(addBorderCommands.argument.now().reason).toMatch(/^The graph itself is shown/);
  openFunction("extracted");
  const { user } = show(<Inspector />);
  act(() => {
    addBorderCommands.argument.now().run();
  });
  expect([...useGraph.getState().selection]).toEqual(["argument"]);
  expect(inputs()).toEqual(["a", "b", ""]);
  expect(screen.getByText("3 of 3")).toBeDefined();
  await expectAccessible();
  expect(screen.getByRole("button", { name: "Move one place back" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
  await user.click(screen.getByRole("button", { name: "Move one place forward" }));
  expect(inputs()).toEqual(["a", "", "b"]);
  await user.selectOptions(screen.getByRole("combobox", { name: "Type" }), "int32");
  expect(
    libraryOf(useDocument.getState().document.metaGraph).get("extracted")?.signature?.inputArg,
  ).toMatchObject([
    { name: "a", type: 1 },
    { name: "argument", type: 3 },
    { name: "b", type: 1 },
  ]);
  act(() => documentActions.select(["x"]));
  act(() => {
    borderCommands.giveBack.now().run();
  });
  expect(useDocument.getState().document.nodes.get("extracted")?.attr.get("Tout")?.value).toMatchObject({
    value: { type: [1, 1, 1] },
  });
  for (let steps = 0; steps < 4; steps++) act(() => documentActions.undo());
  expect(inputs()).toEqual(["a", "b"]);
  expect(useDocument.getState().dirty).toBe(false);
});
