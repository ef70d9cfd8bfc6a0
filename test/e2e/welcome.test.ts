import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

const ENGINES = [
  { on: "portable", appOptions: { engine: "portable" }, isMissing: peerMissing("chromium") },
  {
    on: "tensorflow",
    appOptions: { engine: "tensorflow" },
    isMissing: peerMissing("tensorflow", "chromium"),
  },
  {
    on: "portable and the desktop's Node",
    appOptions: { engine: "portable", onElectronNode: true },
    isMissing: peerMissing("chromium", "electron-node"),
  },
] as const;

describe.each(ENGINES)("the welcome graph in the window, on $on", ({ appOptions, isMissing }) => {
  describe.skipIf(isMissing)("a user", () => {
    test.override({ appOptions });

    test("one click starts two workers, one runs it: 11.0 at z, and where every node ran", async ({
      window,
    }) => {
      await window.startTwoWorkers();
      await window.runButton.click();
      await window.value("z").getByText("11.0").waitFor();
      for (const name of ["a", "b", "x", "y"])
        expect(await window.chip(name).textContent()).toContain("worker/0");
      expect(await window.chip("z").textContent()).toContain("worker/1");
      await window.ranOn("z").getByText("CPU:0").waitFor();
      expect(await window.page.getByRole("contentinfo").textContent()).toMatch(/step .*ms/);
      await window.dockTab("Results").click();
      const row = window.page.getByRole("row", { name: /z:0/ });
      expect(await row.textContent()).toMatch(/float32.*worker\/1.*11\.0/);
    });

    test("Run offers to start the workers that the graph names", async ({ window }) => {
      await window.runButton.click();
      await window.button("Start 2 workers and run").click();
      await window.value("z").getByText("11.0").waitFor();
    });

    test("by keyboard alone: palette, run, choose a node, pin it, undo, redo", async ({ window }) => {
      await window.press("Control+k");
      await window.page.getByRole("dialog").getByRole("combobox").waitFor();
      await window.page.keyboard.type("Start the tasks");
      await window.press("Enter");
      await window
        .task("worker/1")
        .and(window.page.getByRole("treeitem", { name: /, running,/ }))
        .waitFor();
      await window.canvas.focus();
      await window.press("Control+Enter");
      await window.value("z").getByText("11.0").waitFor();

      await window.press("l");
      const list = window.page.getByRole("tree", { name: "Nodes" });
      await list.getByRole("treeitem", { name: /^z\b/ }).waitFor();
      await window.press("End");
      await window.press("Space");
      await window.press("Escape");
      await window.press("p");
      await window.press("1");
      await window.chip("z").getByText("worker/0").waitFor();
      await window.press("Control+z");
      await window.chip("z").getByText("worker/1").waitFor();
      await window.press("Control+Shift+z");
      await window.chip("z").getByText("worker/0").waitFor();
    });
  });
});
