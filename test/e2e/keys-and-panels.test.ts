import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("keys and panels", () => {
  test("shortcuts work in fields, and take over what was typed there before they run or save", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    await window.select("a");
    const value = window.inspector.getByLabel("value", { exact: true });
    await value.fill("4");
    await window.press("Control+Enter");
    // (4 + 2) + 4 · 2
    await window.node("z").locator("[data-node-value=result]").getByText("14.0", { exact: true }).waitFor();
    expect(await value.evaluate((field) => field === document.activeElement)).toBe(true);
    // Text that the field refuses is not run: the values stay those of the text before.
    await value.fill("four");
    await window.press("Control+Enter");
    await window.inspector.getByRole("alert").waitFor();
    expect(await window.value("z").textContent()).toBe("14.0");
    await window.press("Escape");

    // A name that is refused is said at its field, until the text is another one.
    const name = window.inspector.getByLabel("Name", { exact: true });
    await name.fill("b");
    await window.press("Enter");
    const refused = window.page.getByText("Another node is named b.");
    await refused.waitFor();
    await expect.poll(() => refused.count()).toBe(1);
    await name.fill("a");
    await refused.waitFor({ state: "detached" });

    await window.page.getByRole("tab", { name: "Ops" }).click();
    await window.page.getByLabel("Search ops").focus();
    const results = window.page.getByRole("tabpanel", { name: "Results" });
    await window.press("Control+j");
    await results.waitFor();
    await window.press("Control+j");
    await results.waitFor({ state: "detached" });
  });

  test("F6 goes through the panels, and Shift+F6 back", async ({ window }) => {
    const focused = () =>
      window.page.evaluate(
        "document.activeElement.closest('[data-panel-name]')?.dataset.panelName ?? 'none'",
      );
    const round = ["side", "canvas", "inspector", "dock", "status", "top"];
    await window.page.getByRole("button", { name: "Menu", exact: true }).focus();
    for (const panel of round) {
      await window.press("F6");
      expect(await focused()).toBe(panel);
    }
    for (const panel of round.toReversed().slice(1)) {
      await window.press("Shift+F6");
      expect(await focused()).toBe(panel);
    }
  });

  test("a value of another step says so, and the results of a graph stay with it", async ({ window }) => {
    await window.startTwoWorkers();
    await window.button("Number of steps").click();
    await window.page.getByRole("menuitemcheckbox", { name: "10 steps" }).click();
    const status = window.page.getByRole("contentinfo");
    await status.getByText(/^step 10: [\d.]+ m?s/).waitFor();
    await window.canvas.getByText("values and times of step 10").waitFor();
    await window.select("z");
    await window.inspector.getByText("step 10", { exact: true }).waitFor();
    await window.inspector.getByText("step 10, traced").waitFor();
    await status.getByText("step 10: 8 B between tasks").waitFor();

    // After several steps the tab shows the curves of the scalars first.
    await window.dockTab("Results").click();
    await window.page.getByRole("radio", { name: "Values" }).click();
    await window.page.getByRole("row", { name: /z:0/ }).getByRole("button", { name: "Open" }).click();
    await window.page.getByRole("tab", { name: "z:0" }).waitFor();
    await window.page.reload();
    await window.ready();
    await status.getByText(/^step 10: [\d.]+ m?s/).waitFor();
    expect(await window.page.getByText("before edit").count()).toBe(0);

    await window.dockTab("Results").click();
    await window.page.getByRole("radio", { name: "Values" }).click();
    await window.page.getByRole("row", { name: /z:0/ }).getByRole("button", { name: "Open" }).click();
    await window.menu("Open example", "Sum of a CSV column");
    await window.node("total").waitFor();
    await status.getByText("Not run yet").waitFor();
    expect(await window.page.getByRole("tab", { name: "z:0" }).count()).toBe(0);
    await window.page.getByRole("tabpanel").getByText("Run the graph to see its results.").waitFor();
  });

  test("an example does not take the place of unsaved changes; ? in the palette shows the shortcuts", async ({
    window,
  }) => {
    await window.canvas.focus();
    await window.press("Control+a");
    await window.press("Delete");
    await window.canvas.getByRole("button", { name: "Open example" }).click();
    await window.node("z").waitFor();
    const tabs = window.page.getByRole("tablist", { name: "Open documents" }).getByRole("tab");
    await expect.poll(() => tabs.count()).toBe(2);
    await window.press("Control+Shift+Tab");
    await window.node("z").waitFor({ state: "detached" });
    expect(await window.nodes.count()).toBe(0);
    await window.press("Control+k");
    await window.page.getByPlaceholder("Search or run a command").pressSequentially("?");
    await window.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  test("what cannot be done now says why: by its key, in the palette, and in a menu that is walked by keys", async ({
    window,
  }) => {
    const { page } = window;
    await window.canvas.focus();
    await page.keyboard.press("Control+z");
    await page.getByRole("contentinfo").getByText("Undo: There is nothing to undo.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Undo: There is nothing to undo.").waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search or run a command").fill("stop the run");
    const stop = page.getByRole("option", { name: /Stop the run.*Nothing is running\./ });
    expect(await stop.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    await stop.waitFor();
    await page.keyboard.press("Escape");
    await stop.waitFor({ state: "detached" });

    await window.canvas.focus();
    await page.keyboard.press("ContextMenu");
    const unpinned = page.getByRole("menuitem", { name: /not pinned.*Every node is pinned\./ });
    await unpinned.waitFor();
    expect(await unpinned.getAttribute("aria-disabled")).toBe("true");
    // Until the menu has the focus, arrow keys go to the canvas; and an item has it only a moment after its key.
    await page.locator("[role=menu]:focus").waitFor();
    const focused = () => page.evaluate("document.activeElement.textContent");
    const isFocused = () => unpinned.evaluate((item) => item === document.activeElement);
    while (!(await isFocused())) {
      const before = await focused();
      await page.keyboard.press("ArrowDown");
      await expect.poll(focused).not.toBe(before);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: /Select all nodes/ }).waitFor();
    await page.keyboard.press("Escape");
    await unpinned.waitFor({ state: "detached" });
  });

  test("panels close and stay closed, a menu leaves no tooltip, and files are looked for where the last one was", async ({
    window,
    app,
  }) => {
    const side = window.page.getByRole("complementary", { name: "Cluster and ops" });
    await window.button("Hide the side panel").click();
    await side.waitFor({ state: "detached" });
    await window.button("Hide the inspector").click();
    await window.inspector.waitFor({ state: "detached" });
    await window.page.reload();
    await window.ready();
    expect(await side.or(window.inspector).count()).toBe(0);
    await window.press("Control+b");
    await side.waitFor();
    await window.button("Show the inspector").click();
    await window.inspector.waitFor();

    const width = async () => (await side.boundingBox())?.width ?? 0;
    const first = await width();
    await window.page.getByRole("separator", { name: "Width of the side panel" }).focus();
    await window.press("ArrowRight");
    await expect.poll(width).toBeGreaterThan(first);
    const wider = await width();
    await window.page.reload();
    await window.ready();
    expect(await width()).toBe(wider);
    const dock = window.page.getByRole("region", { name: "Dock" });
    const height = async () => (await dock.boundingBox())?.height ?? 0;
    const closed = await height();
    await window.press("Control+j");
    await expect.poll(height).toBeGreaterThan(closed);
    const open = await height();
    await window.press("Control+j");
    await expect.poll(height).toBe(closed);
    await window.press("Control+j");
    await expect.poll(height).toBe(open);
    await window.press("Control+j");

    const folder = join(app.folder, "graphs");
    mkdirSync(folder);
    await window.saveAs(join(folder, "first.pbtxt"));
    await window.menu("New graph");
    await window.canvas.getByText("0 nodes").waitFor();
    // The menu's button has the focus again, and nothing lies over the panel below it.
    expect(await window.page.getByRole("tooltip").count()).toBe(0);
    await window.page.getByRole("tab", { name: "Ops" }).click();
    await window.page.getByLabel("Search ops").waitFor();

    await window.press("Control+o");
    const dialog = window.page.getByRole("dialog", { name: "Open a graph" });
    await dialog.getByRole("option", { name: "first.pbtxt" }).click();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await window.ready();
  });

  test("at 200 % zoom every tab and panel is within the window", async ({ window }) => {
    const { page } = window;
    const size = { width: 720, height: 450 };
    await page.setViewportSize(size);
    const dock = page.getByRole("region", { name: "Dock" });
    const isWithin = async (locator: Locator) => {
      const box = await locator.boundingBox();
      return (
        box !== null && box.x >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height
      );
    };
    for (const name of [
      "Results",
      "Timeline",
      "Variables",
      "Logs",
      "Problems",
      "What to run",
      "Runs",
      "Lanes",
    ]) {
      await window.dockTab(name).click();
      const panel = dock.getByRole("tabpanel", { name });
      await expect.poll(() => isWithin(panel), { message: name }).toBe(true);
      // Up to the window's last row: nothing of the dock is cut off, and nothing empty is below it.
      const bottom = await panel.evaluate((element) => element.getBoundingClientRect().bottom);
      const bar = await page
        .getByRole("contentinfo")
        .evaluate((element) => element.getBoundingClientRect().top);
      expect(Math.abs(bottom - bar), name).toBeLessThanOrEqual(2);
    }
    expect(await isWithin(window.button("Close the dock"))).toBe(true);
    await window.press("Control+j");
    await window.press("Control+i");
    await expect.poll(() => isWithin(window.inspector)).toBe(true);
  });
});
