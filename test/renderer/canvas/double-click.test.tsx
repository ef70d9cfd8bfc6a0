// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { doubleClickAt } from "../../../renderer/canvas/double-click.js";
import { EdgeMenu } from "../../../renderer/canvas/edge-menu.js";
import { Inspector } from "../../../renderer/inspector/index.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { welcome } from "../document/graphs.js";
import { connect, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const graph = () => useDocument.getState();

/** The elements of a canvas that a double click can meet, and what it opens. */
function Canvas({ edge }: { readonly edge?: string }): ReactElement {
  const picture = { hit: () => ({ node: undefined, edge }), onPointerMove: () => undefined };
  return (
    <>
      <section role="application" onDoubleClick={(event) => doubleClickAt(event, picture)}>
        <div className="react-flow__pane" data-testid="pane">
          <div className="react-flow__node" data-id="x">
            <div data-node-head="">title of x</div>
            <div>body of x</div>
          </div>
        </div>
      </section>
      <EdgeMenu />
      <Inspector />
    </>
  );
}

beforeEach(() => {
  connect();
  openDocument(welcome());
  act(() => useCanvas.setState({ edgeMenu: undefined }));
});

describe("a double click", () => {
  it("on the empty canvas adds an op there", async () => {
    const { user } = show(<Canvas />);
    await user.dblClick(screen.getByTestId("pane"));
    await user.type(screen.getByRole("combobox", { name: "Search an op to add" }), "neg{Enter}");
    expect(graph().document.nodes.has("Neg")).toBe(true);
  });

  it("on an edge adds none", async () => {
    const { user } = show(<Canvas edge="z 0" />);
    await user.dblClick(screen.getByTestId("pane"));
    expect(useCanvas.getState().edgeMenu).toBeUndefined();
  });

  it("on the title of a node renames it", async () => {
    const { user } = show(<Canvas />);
    await user.dblClick(screen.getByText("title of x"));
    const name = await screen.findByRole("textbox", { name: "Name" });
    expect(document.activeElement).toBe(name);
    await user.keyboard("total{Enter}");
    expect([graph().document.nodes.has("total"), graph().document.nodes.has("x")]).toEqual([true, false]);
    expect(useCanvas.getState().edgeMenu).toBeUndefined();
  });

  it("elsewhere on a node does nothing", async () => {
    const { user } = show(<Canvas />);
    await user.dblClick(screen.getByText("body of x"));
    expect([graph().selection.size, useCanvas.getState().edgeMenu]).toEqual([0, undefined]);
  });
});
