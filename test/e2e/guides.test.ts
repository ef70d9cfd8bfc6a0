import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("the guides", () => {
  test("show their pictures, lead to each other and to the policy, and are searched", async ({ window }) => {
    const { page } = window;
    await page.keyboard.press("F1");
    const dialog = page.getByRole("dialog", { name: "Guides" });
    const text = dialog.getByRole("region", { name: "Text of the guide" });
    for (const title of ["First steps", "A sum over two workers", "Train on several tasks"]) {
      await dialog.getByRole("button", { name: title }).click();
      await text.getByRole("heading", { name: title }).waitFor();
      const picture = text.getByRole("img").first();
      const width = () =>
        picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0));
      await expect.poll(width, { message: title }).toBeGreaterThan(1000);
    }

    await dialog.getByRole("button", { name: "How Tensordeck is built" }).click();
    await text.getByRole("button", { name: "Security" }).click();
    await text.getByRole("heading", { name: "Reporting a vulnerability" }).waitFor();

    await dialog.getByRole("searchbox", { name: "Search the guides" }).fill("CollectiveReduceV2");
    await window.press("Enter");
    const found = text.getByText(/CollectiveReduceV2/).first();
    await found.waitFor();
    const inView = () =>
      found.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top < innerHeight && bottom > 0;
      });
    await expect.poll(inView).toBe(true);
  });
});
