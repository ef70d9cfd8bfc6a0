/** Several documents in the tabs of one window. */
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { sizeOfDrafts } from "./support/drafts.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const tabs = ({ page }: WindowPage) => page.getByRole("tablist", { name: "Open documents" }).getByRole("tab");
const shown = ({ page }: WindowPage) => page.getByRole("heading", { level: 1 });

/** Where a node is on the screen. */
async function placeOf(window: WindowPage, node: string) {
  const box = await window.node(node).boundingBox();
  return box && { x: Math.round(box.x), y: Math.round(box.y) };
}

describe.skipIf(peerMissing("chromium"))("documents in tabs", () => {
  test("keep their edits, selection, view and run, which goes on unseen; nodes are copied from one to another", async ({
    app,
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    // The first is saved as a file, so that another document takes a tab of its own.
    await window.saveAs("first.pbtxt");
    await window.select("y");
    await window.canvas.press("+");
    await window.node("y").locator("[data-node-head]").hover();
    const place = await placeOf(window, "y");
    await window.menu("New graph");
    await expect.poll(() => tabs(window).count()).toBe(2);
    await window.nodes.first().waitFor({ state: "detached" });
    expect(await shown(window).textContent()).toBe("untitled");

    // Back: as it was left, with the keys of the canvas.
    await window.press("Control+PageUp");
    await window.node("y").waitFor();
    expect(await shown(window).textContent()).toBe("first.pbtxt");
    expect(await placeOf(window, "y")).toEqual(place);
    await window.inspector.getByText("y", { exact: true }).first().waitFor();
    await window.canvas.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await window.press("Control+Tab");
    await window.node("y").waitFor({ state: "detached" });
    await window.canvas.focus();
    await page.keyboard.press("Control+v");
    await window.node("z").waitFor();
    await tabs(window).nth(1).getByText("has unsaved changes").waitFor({ state: "attached" });

    // A run of the copy ends while the first is shown, and its values are in its own tab only.
    await window.button(/^Run 1,?000 steps/).click();
    await window.firstStep();
    await tabs(window).nth(0).click();
    await window.node("y").waitFor();
    await tabs(window)
      .nth(1)
      .and(page.getByRole("tab", { name: /^running/ }))
      .waitFor({ state: "detached" });
    expect(await window.node("z").locator("[data-node-value=result]").count()).toBe(0);
    await window.press("Control+Tab");
    await window.node("z").locator("[data-node-value=result]").waitFor();

    // A tab is dragged to another place.
    await tabs(window)
      .nth(1)
      .dragTo(tabs(window).nth(0), { targetPosition: { x: 10, y: 10 } });
    await expect.poll(() => tabs(window).nth(0).textContent()).toContain("untitled");
    await tabs(window).nth(0).press("Control+Shift+PageDown");
    await expect.poll(() => tabs(window).nth(1).textContent()).toContain("untitled");
    await window.canvas.focus();

    // Undo is its own, too.
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThan(0);
    const drafted = await sizeOfDrafts(app.folder);
    await window.press("Control+z");
    await window.node("z").waitFor({ state: "detached" });
    await window.press("Control+Shift+z");
    await window.node("z").waitFor();

    // A page that is loaded again has both, with the edits of one, once a draft has them.
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThanOrEqual(drafted);
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await window.node("z").waitFor();
    await expect.poll(() => tabs(window).count()).toBe(2);
    expect(await shown(window).textContent()).toBe("untitled");

    // Closing it asks; the file that is open already is shown again instead of opened twice.
    await window.openFile("first.pbtxt");
    await expect.poll(() => shown(window).textContent()).toBe("first.pbtxt");
    await expect.poll(() => tabs(window).count()).toBe(2);
    await tabs(window).nth(1).click({ button: "middle" });
    const question = page.getByRole("dialog", { name: "Save changes to untitled?" });
    await question.getByRole("button", { name: "Discard changes" }).click();
    await tabs(window).first().waitFor({ state: "detached" });
    await window.node("z").waitFor();
    expect(await shown(window).textContent()).toBe("first.pbtxt");
    expect(window.errors).toEqual([]);
  });

  test("show the values of their runs again when the page is loaded anew, whichever ran last", async ({
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await window.saveAs("first.pbtxt");
    await window.runAndSee("z", "11.0");
    await window.canvas.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await window.menu("New graph");
    await window.node("z").waitFor({ state: "detached" });
    await window.canvas.focus();
    await page.keyboard.press("Control+v");
    await window.runAndSee("z", "11.0");
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await window.node("z").locator("[data-node-value=result]").waitFor();
    await window.press("Control+PageUp");
    await expect.poll(() => shown(window).textContent()).toBe("first.pbtxt");
    await window.node("z").locator("[data-node-value=result]").waitFor();
    expect(window.errors).toEqual([]);
  });
});
