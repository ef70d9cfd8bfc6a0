// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../../main/api/drafts.js";
import { DraftBar } from "../../../renderer/app/draft-bar.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { useDrafts } from "../../../renderer/stores/drafts-store.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";

function draftOf(name: string, more: Partial<Draft> = {}): Draft {
  return {
    draftId: name,
    name,
    kind: "meta_graph",
    format: "text",
    editedAt: Date.now() - 180_000,
    file: "none",
    ...more,
  };
}

const bar = () => screen.queryByRole("region", { name: "Unsaved edits" });
const offers = () => screen.getAllByRole("status").map(({ textContent }) => textContent ?? "");

beforeEach(() => connect());

describe("the bar of drafts", () => {
  it("is not there without any", () => {
    show(<DraftBar />);
    expect(bar()).toBeNull();
  });

  it("says what was edited and what became of its file, the rest in a number", async () => {
    const path = "/graphs/b.pbtxt";
    useDrafts.setState({
      drafts: [
        draftOf("a"),
        draftOf("b", { path, file: "changed" }),
        draftOf("c", { path: "/graphs/c.pbtxt", file: "missing" }),
        draftOf("d"),
        draftOf("e"),
      ],
    });
    show(<DraftBar />);
    expect(offers()).toEqual([
      expect.stringMatching(/^a was edited 3 min(utes)? ago and not saved .* It has no file yet\./),
      expect.stringContaining("b has since been changed by another program"),
      expect.stringContaining("c is no longer there"),
    ]);
    expect(screen.getByTitle(path).textContent).toBe("b");
    expect(screen.getByText("2 older drafts after these.")).toBeDefined();
    await expectAccessible();
  });

  it("discards the one that is meant, and shows those that are left", async () => {
    connect({ "documents.drafts": [draftOf("a")] });
    useDrafts.setState({ drafts: [draftOf("a"), draftOf("b")] });
    const { user } = show(<DraftBar />);
    const [, second] = screen.getAllByRole("status");
    if (second === undefined) throw new Error("One draft is missing.");
    focusOn(within(second).getByRole("button", { name: "Discard" }));
    await user.keyboard("{Enter}");
    expect(calls).toEqual([
      { method: "documents.discardDraft", params: { draftId: "b" } },
      { method: "documents.drafts", params: {} },
    ]);
    expect(offers()).toEqual([expect.stringMatching(/^a was edited/)]);
  });

  it("restores a draft as the open document, not saved", async () => {
    const restored = { name: "a", kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) };
    connect({ "documents.restoreDraft": restored, "documents.drafts": [] });
    useDrafts.setState({ drafts: [draftOf("a")] });
    const { user } = show(<DraftBar />);
    await user.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(bar()).toBeNull());
    expect(useDocument.getState()).toMatchObject({ document: { name: "a" }, dirty: true });
  });
});
