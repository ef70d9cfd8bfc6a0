import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** Exports through the menu and answers the file's bytes. */
async function exported(window: WindowPage, folder: string, entry: RegExp): Promise<Buffer> {
  const { page } = window;
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "Export" }).press("ArrowRight");
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: entry }).click();
  const download = await downloading;
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return readFileSync(path);
}

describe.skipIf(peerMissing("chromium"))("pictures of the graph", () => {
  test("are exported as SVG and PNG, of the whole graph and of the selection", async ({ window, app }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    const svg = (await exported(window, app.folder, /^SVG picture/)).toString();
    expect(svg).toContain(">z = x + y</text>");
    expect(svg).toContain(">11.0</text>");
    expect(svg).not.toMatch(/var\(--|color-mix/);
    const [, width = "0", height = "0"] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];

    const png = await exported(window, app.folder, /^PNG picture/);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * Number(width), 2 * Number(height)]);

    await window.select("z");
    const part = (await exported(window, app.folder, /^Selection as SVG/)).toString();
    expect(part).toContain(">z = x + y</text>");
    expect(part).not.toContain(">a</text>");

    // A browser draws the file on its own as it was exported.
    const alone = await page.context().newPage();
    await alone.setContent(svg);
    await expect.poll(() => alone.locator("svg text", { hasText: "z = x + y" }).count()).toBe(1);
    await alone.close();
  });
});
