// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import RunTab from "../../../renderer/dock/run-tab.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { documentOf, placeholder } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const batches = () => useDocument.getState().document.runConfig.batches;

beforeEach(() => {
  connect();
  openDocument(documentOf([placeholder("p")]));
});

describe("batches", () => {
  it("have a size, epochs and an order once a file is fed in some rows for each step", async () => {
    const { user } = show(<RunTab />);
    expect(screen.queryByRole("textbox", { name: "Batch" })).toBeNull();
    act(() => void documentActions.setFeed("p:0", { kind: "file", path: "/x.npy", batched: true }));
    const size = screen.getByRole("textbox", { name: "Batch" });
    await user.clear(size);
    await user.type(size, "0{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("Write a whole number from 1 to 1,000,000.");
    await user.clear(size);
    await user.type(size, "64{Enter}");
    await user.type(screen.getByRole("textbox", { name: "Epochs" }), "3{Enter}");
    await user.click(screen.getByRole("checkbox", { name: "Shuffle the rows in each epoch" }));
    const seed = screen.getByRole("textbox", { name: "Seed" });
    await user.clear(seed);
    await user.type(seed, "42{Enter}");
    await user.click(screen.getByRole("checkbox", { name: "Leave out a smaller last batch" }));
    expect(batches()).toEqual({ size: 64, epochs: 3, seed: 42, dropLast: true });
    await expectAccessible();
    await user.click(screen.getByRole("checkbox", { name: "Shuffle the rows in each epoch" }));
    await user.clear(screen.getByRole("textbox", { name: "Epochs" }));
    await user.keyboard("{Enter}");
    expect(batches()).toEqual({ size: 64, dropLast: true });
  });
});
