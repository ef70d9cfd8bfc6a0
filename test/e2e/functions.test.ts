/** A selection becomes a function, and nodes again. */
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("functions of the graph", () => {
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

  test("the body of a function is opened, edited like a graph, and runs as it was edited", async ({
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    const choose = async (name: string) => {
      await window.press("Control+k");
      await page.getByPlaceholder("Search or run a command").fill(name);
      await page
        .getByRole("option", { name: new RegExp(`^${name}`) })
        .first()
        .click();
    };
    await window.canvas.focus();
    for (const name of ["b", "x", "y"]) {
      await window
        .node(name)
        .locator("[data-node-head]")
        .click({ modifiers: ["Shift"] });
    }
    await choose("Extract to a function");
    await window.runAndSee("z", "11.0");

    // In: the nodes, with the argument and the results.
    await window.node("extracted").locator("[data-node-head]").dblclick();
    for (const name of ["a", "b", "x", "y", "x_1", "y_1"]) await window.node(name).waitFor();
    expect(await window.node("z").count()).toBe(0);
    const crumbs = page.getByRole("navigation", { name: "Open functions and scopes" });
    await crumbs.getByText("extracted").waitFor();

    // Edited: the graph that calls it computes something else.
    await window.select("b");
    const value = window.inspector.getByRole("textbox", { name: "value" });
    await value.fill("4");
    await value.press("Enter");
    await crumbs.getByRole("button", { name: "Graph" }).click();
    await window.runAndSee("z", "19.0");

    // A call that lacks what a new argument needs says so, with the way to it, and follows when the argument goes.
    await window.node("extracted").locator("[data-node-head]").dblclick();
    await window.node("y_1").waitFor();
    await choose("Add an argument");
    await window.node("argument").waitFor();
    await window.inspector.getByText("2 of 2").waitFor();
    await page.getByRole("contentinfo").getByText("1 problem").waitFor();
    await window.undoButton.click();
    await page.getByRole("contentinfo").getByText("1 problem").waitFor({ state: "hidden" });

    // The step is undone where it was made.
    await window.undoButton.click();
    await window.node("y_1").waitFor();
    await window.canvas.focus();
    await window.press("u");
    await window.runAndSee("z", "11.0");
    expect(window.errors).toEqual([]);
  });
});
