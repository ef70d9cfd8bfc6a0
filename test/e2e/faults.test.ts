/** Errors of the window itself leave the rest of it usable, and are told. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** The text of the error that the window's own code is made to throw. */
const INJECTED = "a fault of this test";

/**
 * Makes whatever puts texts together throw where the first of them is this one, as code that draws a part of the window
 * does: the built window has nothing in it that would help with this. Undone by `undoFault`.
 */
async function injectFault(window: WindowPage, first: string): Promise<void> {
  await window.page.evaluate(
    ([text, message]) => {
      const { join: original } = Array.prototype;
      Reflect.set(globalThis, "undoFault", () => {
        Array.prototype.join = original;
      });
      Array.prototype.join = function (this: unknown[], separator?: string) {
        if (this[0] === text) throw new Error(message);
        return original.call(this, separator);
      };
    },
    [first, INJECTED] as const,
  );
}

async function undoFault(window: WindowPage): Promise<void> {
  await window.page.evaluate(() => Reflect.get(globalThis, "undoFault")());
}

const logOf = (folder: string) => readFile(join(folder, "data", "logs", "tensordeck.log"), "utf8");

describe.skipIf(peerMissing("chromium"))("an error of the window", () => {
  test("inside a node leaves the other nodes, the edges and the graph as they are", async ({
    app,
    window,
  }) => {
    await window.startTwoWorkers();
    const edges = window.page.locator(".react-flow__edge");
    const before = await edges.count();
    await injectFault(window, "y (Mul)");
    await window.node("y").click();
    const failed = window.node("y").getByRole("alert");
    await failed.getByText("not drawn").waitFor();
    await expect.poll(() => window.nodes.count()).toBe(5);
    expect(await edges.count()).toBe(before);
    // It runs, it can be edited, and what is saved is whole.
    await window.runAndSee("z", "11.0");
    await window.node("x").locator("[data-node-head]").click();
    await window.press("Delete");
    await window.node("x").waitFor({ state: "detached" });
    await window.press("Control+z");
    await window.node("x").waitFor();
    await window.saveAs("whole.pbtxt");
    const saved = await readFile(join(app.folder, "whole.pbtxt"), "utf8");
    expect([...saved.matchAll(/^\s*node \{/gm)]).toHaveLength(5);
    // The way back.
    await undoFault(window);
    await failed.getByRole("button", { name: "Try again" }).click();
    await failed.waitFor({ state: "detached" });
    expect(await window.node("y").locator("[data-node-head]").textContent()).toContain("Mul");
    await expect.poll(() => logOf(app.folder)).toContain(`The node y of a window failed: Error: ${INJECTED}`);
    window.errors.length = 0;
  });

  test("in a panel is said there, with a way back, and the others go on", async ({ window }) => {
    await window.startTwoWorkers();
    await injectFault(window, "worker/0");
    await window.canvas.click({ position: { x: 20, y: 200 } });
    await window.press("Control+a");
    const failure = window.inspector.getByRole("alert");
    await failure.getByText("The inspector could not be drawn.").waitFor();
    await failure.getByText(INJECTED, { exact: true }).waitFor();
    await failure.getByRole("button", { name: "Copy details" }).waitFor();
    await window.runAndSee("z", "11.0");
    await undoFault(window);
    await failure.getByRole("button", { name: "Try again" }).click();
    await failure.waitFor({ state: "detached" });
    await window.inspector.getByText("5 nodes").first().waitFor();
    window.errors.length = 0;
  });

  test("in a dialog is said in its place, where it can be closed", async ({ window }) => {
    const version = "Tensordeck: 0.1.0";
    await injectFault(window, version);
    await window.menu("About Tensordeck");
    const dialog = window.page.getByRole("dialog", { name: "Something went wrong" });
    await dialog.getByText("This dialog could not be drawn.").waitFor();
    await window.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await undoFault(window);
    await window.menu("About Tensordeck");
    await window.page.getByRole("dialog", { name: "About Tensordeck" }).waitFor();
    await expect.poll(() => window.nodes.count()).toBe(5);
    window.errors.length = 0;
  });

  test("that nothing handles is said once, and stands in the log, which a command shows", async ({
    app,
    window,
  }) => {
    for (let time = 0; time < 2; time++) {
      await window.page.evaluate((message) => {
        setTimeout(() => {
          throw new Error(message);
        });
        void Promise.reject(new Error(`${message} in a promise`));
      }, INJECTED);
    }
    await window.alerts.getByText(INJECTED, { exact: false }).first().waitFor();
    await expect.poll(() => window.alerts.getByText("Something went wrong in the window.").count()).toBe(1);
    const times = async (text: string) => (await logOf(app.folder)).split(text).length - 1;
    await expect.poll(() => times(`Error: ${INJECTED} in a promise`)).toBe(1);
    await expect.poll(() => times(`Error: ${INJECTED}\n`)).toBe(1);

    await window.menu("Show the log file");
    const dialog = window.page.getByRole("dialog", { name: "Log of the application" });
    await dialog.getByText(join(app.folder, "data", "logs", "tensordeck.log")).waitFor();
    await dialog.getByText(/Tensordeck 0\.1\.0 starts \(headless/).waitFor();
    const download = window.page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("tensordeck.log");
    await window.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => window.nodes.count()).toBe(5);
    // The address that was printed at the start has a token.
    const token = new URL(app.link).hash.slice("#token=".length);
    expect(await logOf(app.folder)).not.toContain(token);
    window.errors.length = 0;
  });
});
