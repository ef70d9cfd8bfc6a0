/** Unsaved edits outlive the page, the tab and the application. */
import { appendFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { type RunningApp, startApp } from "./support/app.js";
import { draftsIn, sizeOfDrafts } from "./support/drafts.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** The rows that offer drafts. */
const offers = (window: WindowPage) => window.page.getByRole("region", { name: "Unsaved edits" });

/** Ends the application while its window is open, then that window: until then it reports every failed reconnection. */
async function crash(app: RunningApp, window: WindowPage): Promise<void> {
  expect(window.errors).toEqual([]);
  await app.kill();
  await window.page.close();
  window.errors.length = 0;
}

const skip = peerMissing("chromium");

describe.skipIf(skip)("after kill -9 of the application", () => {
  test("no edit that a draft has is lost, and the next window offers them", async ({ app, window }) => {
    await window.saveAs("graph.pbtxt");
    expect(await draftsIn(app.folder)).toEqual([]);
    await window.deleteNode("z");
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThan(0);
    const size = await sizeOfDrafts(app.folder);
    await window.deleteNode("y");
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThan(size);
    await crash(app, window);

    const next = await startApp({ folder: app.folder });
    const again = await WindowPage.open(await sharedBrowser(), next.link);
    try {
      await again.ready();
      const offer = offers(again);
      await offer.getByText(/^graph\.pbtxt was edited just now and not saved/).waitFor();
      await offer.getByRole("button", { name: "Restore" }).click();
      await again.node("y").waitFor({ state: "detached" });
      await expect.poll(() => again.nodes.count()).toBe(3);
      expect(await again.page.title()).toBe("● graph.pbtxt · Tensordeck");
      await offer.waitFor({ state: "detached" });

      // Saved, the draft has nothing to keep.
      await again.press("Control+s");
      await again.page.getByRole("contentinfo").getByText("Saved", { exact: true }).waitFor();
      await expect.poll(() => draftsIn(app.folder)).toEqual([]);
      expect(again.errors).toEqual([]);
    } finally {
      await again.close();
      await next.stop();
    }
  });

  test("a draft says that its file was changed meanwhile, and can be discarded", async ({ app, window }) => {
    await window.saveAs("graph.pbtxt");
    await window.deleteNode("z");
    await expect.poll(() => draftsIn(app.folder)).toHaveLength(1);
    await crash(app, window);
    await appendFile(join(app.folder, "graph.pbtxt"), "\n");

    const next = await startApp({ folder: app.folder });
    const again = await WindowPage.open(await sharedBrowser(), next.link);
    try {
      await again.ready();
      const offer = offers(again);
      await offer.getByText("graph.pbtxt has since been changed by another program").waitFor();
      await offer.getByRole("button", { name: "Discard" }).click();
      await offer.waitFor({ state: "detached" });
      expect(await draftsIn(app.folder)).toEqual([]);
    } finally {
      await again.close();
      await next.stop();
    }
  });
});

describe.skipIf(skip)("drafts of windows", () => {
  test("a page that is loaded again has its unsaved edits", async ({ app, window }) => {
    window.page.on("dialog", (dialog) => dialog.accept());
    await window.deleteNode("z");
    await expect.poll(() => draftsIn(app.folder)).toHaveLength(1);
    await window.page.reload();
    await window.page.getByText(/unsaved edits of .* are still here/).waitFor();
    await expect.poll(() => window.nodes.count()).toBe(4);
    expect(await window.page.title()).toMatch(/^● /);
    // It goes on as the same draft.
    const size = await sizeOfDrafts(app.folder);
    await window.deleteNode("y");
    await expect.poll(() => sizeOfDrafts(app.folder)).not.toBe(size);
    await window.page.reload();
    await window.node("a").waitFor();
    await expect.poll(() => window.nodes.count()).toBe(3);
    expect(await draftsIn(app.folder)).toHaveLength(1);
    await window.button("Discard edits").click();
    await window.node("z").waitFor();
    await expect.poll(() => draftsIn(app.folder)).toEqual([]);
  });

  test("a page that is loaded again undoes what was edited before, and does it again", async ({
    app,
    window,
  }) => {
    window.page.on("dialog", (dialog) => dialog.accept());
    await window.saveAs("graph.pbtxt");
    await window.deleteNode("z");
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThan(0);
    const size = await sizeOfDrafts(app.folder);
    await window.deleteNode("y");
    await expect.poll(() => sizeOfDrafts(app.folder)).toBeGreaterThan(size);

    await window.page.reload();
    await window.page.getByText(/unsaved edits of .* are still here/).waitFor();
    await expect.poll(() => window.nodes.count()).toBe(3);
    const undone = await sizeOfDrafts(app.folder);
    await window.press("Control+z");
    await window.node("y").waitFor();
    expect(await window.node("z").count()).toBe(0);
    await expect.poll(() => sizeOfDrafts(app.folder)).not.toBe(undone);

    // The step that is undone is kept, too.
    await window.page.reload();
    await expect.poll(() => window.nodes.count()).toBe(4);
    await window.press("Control+Shift+z");
    await window.node("y").waitFor({ state: "detached" });
    await window.press("Control+z");
    await window.node("y").waitFor();
    await window.press("Control+z");
    await window.node("z").waitFor();
    // This is the document that was saved.
    await expect.poll(() => window.page.title()).toBe("graph.pbtxt · Tensordeck");
    await expect.poll(() => draftsIn(app.folder)).toEqual([]);
    await window.page.getByText(/unsaved edits of .* are still here/).waitFor({ state: "detached" });
    await window.press("Control+Shift+z");
    await window.node("z").waitFor({ state: "detached" });
  });

  test("two windows keep a draft each, and neither is offered while its window is open", async ({
    app,
    window,
  }) => {
    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    try {
      await other.ready();
      await window.deleteNode("z");
      await other.deleteNode("y");
      await expect.poll(() => draftsIn(app.folder)).toHaveLength(2);
      for (const draft of await draftsIn(app.folder)) {
        expect((await stat(join(app.folder, "data", "drafts", draft))).mode & 0o777).toBe(0o600);
      }
      const third = await WindowPage.open(await sharedBrowser(), await app.newLink());
      await third.ready();
      await third.page.waitForLoadState("networkidle");
      expect(await offers(third).count()).toBe(0);
      await third.close();
    } finally {
      await other.close();
    }
    // The other window has gone: what it left is offered to the next one.
    const next = await WindowPage.open(await sharedBrowser(), await app.newLink());
    await next.ready();
    await offers(next).getByRole("button", { name: "Restore" }).click();
    await next.node("y").waitFor({ state: "detached" });
    await expect.poll(() => next.node("z").count()).toBe(1);
    await next.close();
  });
});
