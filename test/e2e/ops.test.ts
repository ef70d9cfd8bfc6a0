import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** On the portable engine alone, which cannot run every op of TensorFlow. */
describe.skipIf(peerMissing("chromium"))("ops and scopes", () => {
  test("favourites are kept, ops that nothing here can run are left out until asked for, nodes move to a scope", async ({
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await page.getByRole("tab", { name: "Ops" }).click();
    const search = page.getByLabel("Search ops");
    const op = (name: string) => page.getByRole("treeitem", { name: new RegExp(`^${name}\\b`) });
    const filter = page.getByRole("switch", { name: "Only what the cluster can run" });
    await search.fill("SdcaFprint");
    await page.getByText("No op has “SdcaFprint” in its name or its help.").waitFor();
    await filter.click();
    await op("SdcaFprint").waitFor();
    await filter.click();
    await search.fill("MatMul");
    await op("MatMul").first().hover();
    await window.button("Add MatMul to the favourites").click();
    await search.fill("");
    await page.getByRole("treeitem", { name: /^Favourites/ }).waitFor();

    await window.select("x");
    await page.locator('.react-flow__node[data-id="y"]').click({ modifiers: ["Shift"] });
    await window.press("Control+k");
    const dialog = page.getByRole("dialog");
    await dialog.getByPlaceholder("Search or run a command").fill("Move selection to a scope");
    await window.press("Enter");
    await dialog.getByLabel("Scope").fill("net");
    await window.press("Enter");
    await window.node("net/x").waitFor();
    await window.node("net/y").waitFor();
    await window.runAndSee("z", "11.0");

    await page.reload();
    await window.ready();
    await page.getByRole("tab", { name: "Ops" }).click();
    await page.getByRole("treeitem", { name: /^Favourites/ }).waitFor();
    await expect.poll(() => op("MatMul").count()).toBe(1);
  });
});
