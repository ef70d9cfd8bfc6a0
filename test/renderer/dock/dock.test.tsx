// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Dock } from "../../../renderer/dock/dock.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { binary, documentOf } from "../document/graphs.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const tab = (name: string | RegExp) => screen.getByRole("tab", { name });
const preview = (name: string) => ({
  ...{ name, dtype: "float32", shape: [], values: ["5.0"], elementCount: 1, byteLength: 4 },
});

// The dock loads its tabs while nothing else is done.
afterAll(() => vi.dynamicImportSettled());

beforeEach(() => {
  connect();
  openDocument(documentOf([binary("s", "AddV2", "gone", "gone")]));
});

describe("the dock", () => {
  it("opens with a tab, goes through them with the arrows, and closes", async () => {
    act(() => useUi.setState({ dockOpen: false }));
    const { user } = show(<Dock />);
    expect(screen.queryByRole("tabpanel")).toBeNull();
    await user.click(tab("Logs"));
    expect(screen.getByRole("tabpanel", { name: "Logs" })).toBeDefined();
    expect(await screen.findByText("Start a worker to see its output.")).toBeDefined();
    focusOn(tab("Logs"));
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    expect(document.activeElement).toBe(tab("Timeline"));
    expect(screen.getByRole("tabpanel", { name: "Timeline" })).toBeDefined();
    await screen.findByText(/to see where time goes/);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Close the dock", expanded: true }));
    expect(screen.queryByRole("tabpanel")).toBeNull();
    expect(screen.getByRole("button", { name: "Open the dock", expanded: false })).toBeDefined();
  });

  it("counts results and problems on their tabs", async () => {
    show(<Dock />);
    expect(tab("Results")).toBeDefined();
    expect(tab(/^Problems\s*1$/)).toBeDefined();
    act(() => showRun(runOf({ fetches: [preview("a:0"), preview("b:0")] })));
    expect(tab(/^Results\s*2$/)).toBeDefined();
    await expectAccessible();
  });

  it("has a tab for each tensor that was opened, which Delete closes", async () => {
    showRun(runOf({ fetches: [preview("a:0")] }));
    const { user } = show(<Dock />);
    act(() => uiActions.openTensor("a:0"));
    expect(screen.getByRole("tabpanel", { name: "a:0" })).toBeDefined();
    expect(await screen.findByText(/float32/)).toBeDefined();
    await expectAccessible();
    focusOn(tab("a:0"));
    await user.keyboard("{Delete}");
    expect(screen.queryByRole("tab", { name: "a:0" })).toBeNull();
    expect(screen.queryByRole("tabpanel", { name: "a:0" })).toBeNull();
  });
});
