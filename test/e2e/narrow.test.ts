/** A small window: nothing that can be clicked is cut off where no scrolling leads to it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const SMALL = { width: 1024, height: 700 };

/**
 * The names of controls that are hidden in part by an element around them that does not scroll, or by the window.
 * It is a text, as it runs in the page.
 */
const CUT_OFF = `(() => {
  const cut = [];
  const seen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  for (const control of document.querySelectorAll("button, select, input, textarea, [role=tab]")) {
    if (control.closest(".react-flow") || !seen(control)) continue;
    const box = control.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    for (let outer = control.parentElement; outer; outer = outer.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(outer);
      const frame = outer.getBoundingClientRect();
      const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
      if (scrolls(overflowX) || scrolls(overflowY)) break;
      const page = outer === document.documentElement || outer === document.body;
      const clips = page || overflowX !== "visible";
      if (clips && (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 1)) {
        cut.push(control.getAttribute("aria-label") ?? control.textContent ?? control.tagName);
        break;
      }
    }
  }
  return cut;
})()`;

async function expectNothingCutOff(window: WindowPage, screen: string): Promise<void> {
  expect(await window.page.evaluate(CUT_OFF), screen).toEqual([]);
}

describe.skipIf(peerMissing("chromium"))("a window of 640 by 400, as with 200 % zoom", () => {
  test("cuts off nothing, and shows the selected node beside the inspector", async ({ window }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await page.setViewportSize({ width: 640, height: 400 });
    await expect.poll(() => page.getByRole("tree", { name: "Cluster" }).count()).toBe(0);
    await expectNothingCutOff(window, "a graph that has run");
    await window.node("z").locator("[data-node-head]").click();
    await window.press("Enter");
    const isBeside = async () => {
      const node = await window.node("z").boundingBox();
      const inspector = await window.inspector.boundingBox();
      return node !== null && inspector !== null && node.x + node.width <= inspector.x;
    };
    await expect.poll(isBeside).toBe(true);
    await expectNothingCutOff(window, "the inspector");
    await window.press("Escape");
    await window.button("Number of steps").click();
    await page.getByRole("menuitem", { name: "Another number…" }).click();
    await page.getByRole("dialog").getByLabel("Steps").fill("100000");
    await window.press("Enter");
    await window.firstStep();
    await expectNothingCutOff(window, "a run in progress");
    await window.press("Shift+Escape");
    await page
      .getByRole("contentinfo")
      .getByText(/^Stopped after/)
      .waitFor({ state: "attached" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("tree", { name: "Cluster" }).waitFor();
  });
});

describe.skipIf(peerMissing("chromium", "python"))("a window of 1024 by 700", () => {
  test.override({ appOptions: { programs: true } });

  test("shows all controls of the docks and of the larger dialogs", async ({ window, app }) => {
    const { page } = window;
    await page.setViewportSize(SMALL);
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await window.runAndSee("z", "11.0");
    await window.button("Number of steps").click();
    await page.getByRole("menuitem", { name: "Another number…" }).click();
    const steps = page.getByRole("dialog").getByLabel("Steps");
    await steps.fill("100000");
    await window.press("Enter");
    await window.firstStep();
    await expectNothingCutOff(window, "a run in progress");
    await window.press("Shift+Escape");
    await page
      .getByRole("contentinfo")
      .getByText(/^Stopped after/)
      .waitFor();
    const tabs = ["Results", "Timeline", "Variables", "Logs", "Problems", "What to run", "Lanes", "Runs"];
    for (const tab of tabs) {
      await window.dockTab(tab).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
      await expectNothingCutOff(window, tab);
    }
    const runs = page.getByRole("tabpanel", { name: "Runs" });
    await runs.getByRole("row", { name: /^run 2 .*done/ }).waitFor();
    for (const run of await runs.getByRole("checkbox").all()) await run.check();
    await runs.getByRole("rowheader", { name: "Graph and feeds" }).waitFor();
    await expectNothingCutOff(window, "two runs compared");

    // A graph whose variables have no value yet has the most buttons there.
    await window.menu("Open example", "Counter");
    await window.dockTab("Variables").click();
    await window.button("Initialize all").waitFor();
    await expectNothingCutOff(window, "variables without a value");
    await window.page.getByRole("tab", { name: /^Welcome/ }).click();

    const project = join(app.folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "wait.py"), "import time\nprint('waiting')\ntime.sleep(600)\n");
    await window.chooseScript("project", "wait.py");
    const dialog = page.getByRole("dialog");
    const start = dialog.getByRole("button", { name: "Start when ready" });
    await start.waitFor();
    await expectNothingCutOff(window, "the dialog of a script");
    await start.click();
    await page.getByRole("log", { name: "Output of the script" }).getByText("waiting").waitFor();
    await expectNothingCutOff(window, "a script that runs");
    await window.button("Stop").click();
    await page.getByRole("button", { name: "Run again" }).waitFor();
    await expectNothingCutOff(window, "a script that was stopped");

    for (const command of [
      ...[
        "Guides",
        "Gallery of examples",
        "Export cluster",
        "Edit the cluster as a table",
        "Use from Python",
      ],
      ...["Keyboard shortcuts", "Settings", "Licences", "Add tasks on", "Add a layer"],
    ]) {
      await window.press("Control+k");
      await dialog.getByPlaceholder("Search or run a command").fill(command);
      await window.press("Enter");
      await dialog.getByRole("heading").first().waitFor();
      await expectNothingCutOff(window, command);
      await window.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("shows the whole menu of a node, on whichever side of the pointer there is room", async ({
    window,
  }) => {
    const { page } = window;
    await page.setViewportSize(SMALL);
    for (const node of ["a", "z"]) {
      await window.node(node).locator("[data-node-head]").click({ button: "right" });
      const menu = page.getByRole("menu");
      await menu.getByRole("menuitem").last().waitFor();
      const hidden = await menu.evaluate((element) => element.scrollHeight - element.clientHeight);
      expect(hidden, `pixels of the menu of ${node} that have to be scrolled to`).toBeLessThanOrEqual(0);
      const box = await menu.boundingBox();
      expect(box && box.y >= 0 && box.y + box.height <= SMALL.height, node).toBe(true);
      await window.press("Escape");
      await menu.waitFor({ state: "detached" });
    }
  });
});
