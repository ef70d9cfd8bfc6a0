import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("tensorflow", "chromium"))("the gallery of examples", () => {
  test("runs a trained classifier with one click and shows its classes by name", async ({ window }) => {
    const { page } = window;
    await window.menu("Gallery of examples");
    await page.getByRole("dialog", { name: "Examples" }).waitFor();
    await window.button("Run example: Handwritten digits").click();
    const classes = page.getByRole("region", { name: "Classes of scores:0" });
    await classes.getByRole("row", { name: /^3 three / }).waitFor();

    // Another picture, and what it shows.
    await window.select("number");
    const value = window.inspector.getByRole("textbox", { name: "value" });
    await value.fill("12");
    await value.press("Tab");
    await window.runButton.click();
    await classes.getByRole("row", { name: /^6 six / }).waitFor();
    await window.dockTab("Results").click();
    await page
      .getByRole("row", { name: /^picture:0/ })
      .getByRole("button", { name: "Open" })
      .click();
    await page.getByRole("img", { name: /^Image picture:0, 8 by 8/ }).waitFor();
    expect(await window.alerts.count()).toBe(0);
  });
});
