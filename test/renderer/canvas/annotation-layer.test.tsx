// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { ReactFlow } from "@xyflow/react";
import { beforeEach, expect, it, vi } from "vitest";
import { AnnotationLayer } from "../../../renderer/canvas/annotation-layer.js";
import { frameCommands, noteCommands } from "../../../renderer/commands/annotation-commands.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const graph = () => useDocument.getState().document;
const layer = () =>
  show(
    <ReactFlow>
      <AnnotationLayer onMove={vi.fn()} />
    </ReactFlow>,
  );

beforeEach(() => {
  connect();
  openDocument(welcome());
});

it("a frame around the selection gets a title, moves with its nodes by the arrow keys, and is undone", async () => {
  const { user } = layer();
  const before = graph();
  act(() => documentActions.select(["a", "b"]));
  await act(() => frameCommands.add.now().run());
  await user.type(screen.getByRole("textbox", { name: "Title of the frame" }), "Inputs{Enter}");
  const title = screen.getByRole("button", { name: "Inputs" });
  await expectAccessible();
  const place = graph().layout.get("a");
  focusOn(title);
  await user.keyboard("{ArrowRight}{ArrowRight}{ArrowDown}");
  expect(graph().layout.get("a")).toEqual({ x: (place?.x ?? 0) + 16, y: (place?.y ?? 0) + 8 });
  expect(graph().layout.get("z")).toEqual(before.layout.get("z"));
  // Moves are one step, the title another.
  act(() => documentActions.undo());
  expect(graph().layout.get("a")).toEqual(place);
  act(() => documentActions.undo());
  act(() => documentActions.undo());
  expect(graph()).toEqual(before);
});

it("a note is written, coloured by its menu, and deleted by its key", async () => {
  const { user } = layer();
  await act(() => noteCommands.add.now().run());
  await user.type(screen.getByRole("textbox", { name: "Text of the note" }), "Try a larger rate{Enter}");
  await user.click(screen.getByRole("button", { name: "Actions of Note Try a larger rate" }));
  focusOn(screen.getByRole("menuitem", { name: "Colour" }));
  await user.keyboard("{ArrowRight}");
  const menu = await screen.findByRole("menu", { name: "Colour" });
  await user.click(within(menu).getByRole("menuitemcheckbox", { name: "Green" }));
  expect(graph().annotations).toMatchObject([{ kind: "note", text: "Try a larger rate", colour: "green" }]);
  focusOn(screen.getByRole("button", { name: "Try a larger rate" }));
  await user.keyboard("{Delete}");
  expect(graph().annotations).toEqual([]);
});

it("Escape leaves the text as it was", async () => {
  const { user } = layer();
  await act(() => noteCommands.add.now().run());
  await user.type(screen.getByRole("textbox", { name: "Text of the note" }), "no{Escape}");
  expect(graph().annotations[0]?.text).toBe("");
});
