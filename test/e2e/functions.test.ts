/** A selection becomes a function, and nodes again. */
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("tensorflow", "chromium"))("functions of the graph", () => {
  test("a selection is extracted, runs as before, and is inlined again; what cannot be says why", async ({
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    const choose = async (name: string) => {
      await window.press("Control+k");
      await page.getByPlaceholder("Search or run a command").fill(name);
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
    };
    const select = async (...names: readonly string[]) => {
      await window.canvas.focus();
      await window.press("Escape");
      for (const name of names) {
        await window
          .node(name)
          .locator("[data-node-head]")
          .click({ modifiers: ["Shift"] });
      }
    };
    // z reads what is between.
    await select("a", "z");
    await choose("Extract to a function");
    await window.canvas.getByText(/reads from the selection, and z reads from it/).waitFor();

    await select("x", "y");
    await choose("Extract to a function");
    await window.node("extracted").waitFor();
    expect(await window.node("x").count()).toBe(0);
    await window.runAndSee("z", "11.0");
    await window.select("extracted");
    await choose("Inline the function");
    await window.node("x").waitFor();
    await window.runAndSee("z", "11.0");
    await window.undoButton.click();
    await window.node("extracted").waitFor();
    expect(window.errors).toEqual([]);
  });
});
