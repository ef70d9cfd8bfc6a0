// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Directory } from "../../../main/api/documents.js";
import Dialogs from "../../../renderer/app/dialogs.js";
import { type DialogState, uiActions } from "../../../renderer/stores/ui-store.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";

const entry = (name: string, directory = false) => ({
  ...{ name, path: `/graphs/${name}`, directory, sizeBytes: 1200, modifiedAt: 1_750_000_000_000 },
});
const folder: Directory = {
  path: "/graphs",
  parent: "/",
  entries: [entry("models", true), entry("a.pbtxt"), entry("b.pb")],
};
const resolve = vi.fn();
const option = (name: RegExp) => screen.getByRole("option", { name });
const button = (name: string) => screen.getByRole("button", { name });
const name = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });

/** Opens the dialog, and waits for the folder. */
async function open(more: Partial<Extract<DialogState, { kind: "file" }>> = {}) {
  const { user } = show(<Dialogs />);
  act(() =>
    uiActions.open({
      ...{ kind: "file", mode: "open", title: "Open a graph", extensions: ["pbtxt", "pb"], resolve, ...more },
    }),
  );
  await screen.findByRole("dialog", { name: more.title ?? "Open a graph" });
  await act(async () => undefined);
  return user;
}

beforeEach(() => {
  Element.prototype.scrollIntoView ??= vi.fn();
  resolve.mockClear();
  connect({ "files.list": folder });
});

describe("the dialog that opens a file", () => {
  it("lists folders and files, of which the keys choose one", async () => {
    const user = await open();
    expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^models/),
      expect.stringMatching(/^a\.pbtxt1\.2 kB/),
      expect.stringMatching(/^b\.pb/),
    ]);
    await expectAccessible();
    expect(document.activeElement).toBe(screen.getByRole("listbox", { name: "Files" }));
    await user.keyboard("{End}{ArrowUp}");
    expect(option(/^a\.pbtxt/).getAttribute("aria-selected")).toBe("true");
    await user.keyboard("{Enter}");
    expect(resolve.mock.calls).toEqual([["/graphs/a.pbtxt"]]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("chooses what begins with the typed letters, and opens it", async () => {
    const user = await open();
    focusOn(screen.getByRole("listbox", { name: "Files" }));
    await user.keyboard("b.");
    expect(option(/^b\.pb/).getAttribute("aria-selected")).toBe("true");
    await user.keyboard("{Enter}");
    expect(resolve.mock.calls).toEqual([["/graphs/b.pb"]]);
  });

  it("goes into folders and out of them", async () => {
    const user = await open();
    await user.dblClick(option(/^models/));
    await user.click(button("Parent folder"));
    await user.click(button("graphs"));
    focusOn(screen.getByRole("listbox", { name: "Files" }));
    await user.keyboard("{Backspace}");
    expect(calls.slice(1).map(({ params }) => params)).toEqual(
      ["/graphs/models", "/", "/graphs", "/"].map((path) => expect.objectContaining({ path })),
    );
    expect(resolve).not.toHaveBeenCalled();
  });

  it("opens a SavedModel by its folder", async () => {
    const model = { ...entry("model", true), savedModel: "/graphs/model/saved_model.pb" };
    connect({ "files.list": { ...folder, entries: [model, entry("models", true)] } });
    const user = await open();
    expect(option(/^models/).textContent).not.toContain("SavedModel");
    await user.dblClick(option(/^model SavedModel/));
    expect(resolve.mock.calls).toEqual([["/graphs/model/saved_model.pb"]]);
  });

  it("takes a path that is typed: of a file, or of a folder, which it shows", async () => {
    const user = await open();
    const path = screen.getByRole("textbox", { name: "Path" });
    await user.type(path, "models{Enter}");
    expect(calls.at(-1)?.params).toMatchObject({ path: "/graphs/models" });
    expect(path).toHaveProperty("value", "");
    await user.type(path, "~/elsewhere/{Enter}");
    expect(calls.at(-1)?.params).toMatchObject({ path: "~/elsewhere/" });
    expect(resolve).not.toHaveBeenCalled();
    await user.type(path, "/graphs/b.pb");
    await expectAccessible();
    await user.click(button("Open"));
    expect(resolve.mock.calls).toEqual([["/graphs/b.pb"]]);
  });

  it("answers that it was closed", async () => {
    const user = await open();
    await user.click(button("Cancel"));
    expect(resolve.mock.calls).toEqual([[undefined]]);
  });
});

describe("the dialog that saves a file", () => {
  it("adds the ending that is missing", async () => {
    const user = await open({ mode: "save", title: "Save the graph", suggestedName: "graph.pbtxt" });
    expect(name().value).toBe("graph.pbtxt");
    await expectAccessible();
    await user.clear(name());
    expect(button("Save")).toHaveProperty("disabled", true);
    await user.type(name(), "other{Enter}");
    expect(resolve.mock.calls).toEqual([["/graphs/other.pbtxt"]]);
  });

  it("asks before it replaces a file", async () => {
    const user = await open({ mode: "save", title: "Save the graph", suggestedName: "graph.pbtxt" });
    await user.click(option(/^a\.pbtxt/));
    expect(name().value).toBe("a.pbtxt");
    await user.click(button("Save"));
    expect(screen.getByRole("alert").textContent).toBe("This file exists.");
    expect(resolve).not.toHaveBeenCalled();
    await expectAccessible();
    await user.click(button("Replace"));
    expect(resolve.mock.calls).toEqual([["/graphs/a.pbtxt"]]);
  });
});
