// @vitest-environment happy-dom
import { act, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { DropTarget } from "../../../renderer/app/drop-target.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { calls, connect, show } from "../support/components.js";
import { readOps } from "../support/documents.js";

/** The browser's description of files that are dragged over the page. */
function drag(type: "dragenter" | "dragover" | "drop", files: readonly File[]): void {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const items = files.map((file) => ({ kind: "file", type: file.type, getAsFile: () => file }));
  const dataTransfer = { types: ["Files"], items, files, getData: () => "", setDragImage: () => undefined };
  Object.assign(event, { dataTransfer, relatedTarget: null });
  act(() => void document.body.dispatchEvent(event));
}

const hint = () =>
  screen.queryByText(
    "Drop a graph (.pbtxt, .pb) or a model (.keras, .h5, .onnx) to open it, a Python script to run it, or a cluster (.yaml, .json) to import it",
  );

describe("files that are dragged over the window", () => {
  it("are announced, and the first graph among them is opened", async () => {
    readOps();
    const { kind, format } = welcome();
    connect({ "documents.read": { name: "net.pb", kind, format, metaGraph: writeDocument(welcome()) } });
    show(<DropTarget />);
    const files = [new File(["notes"], "notes.txt"), new File(["graph"], "net.pb")];
    expect(hint()).toBeNull();
    drag("dragenter", files);
    drag("dragover", files);
    await waitFor(() => expect(hint()).not.toBeNull());
    drag("drop", files);
    await waitFor(() => expect(hint()).toBeNull());
    await waitFor(() => expect(useDocument.getState().document.name).toBe("net.pb"));
    expect(calls.map(({ method }) => method)).toContain("documents.read");
  });

  it("that describe a cluster are shown in the table's import", async () => {
    connect();
    show(<DropTarget />);
    const files = [new File(["services: {}"], "docker-compose.yml")];
    drag("dragenter", files);
    drag("dragover", files);
    await waitFor(() => expect(hint()).not.toBeNull());
    drag("drop", files);
    await waitFor(() =>
      expect(useUi.getState().dialog).toEqual({
        kind: "cluster-table",
        file: { name: "docker-compose.yml", text: "services: {}" },
      }),
    );
  });

  it("that are no graphs are refused with what can be dropped", async () => {
    connect();
    show(<DropTarget />);
    const files = [new File(["notes"], "notes.txt")];
    drag("dragenter", files);
    drag("dragover", files);
    await waitFor(() => expect(hint()).not.toBeNull());
    drag("drop", files);
    await waitFor(() =>
      expect(
        useApp
          .getState()
          .notices.map(({ problem }) => problem.message)
          .join(),
      ).toMatch(
        /^Only graphs \(\.pb, \.pbtxt, \.meta\), models \(\.keras, \.h5, \.onnx\), clusters \(\.yaml, \.json\) and Python scripts can be dropped here/,
      ),
    );
    expect(calls).toEqual([]);
  });
});
