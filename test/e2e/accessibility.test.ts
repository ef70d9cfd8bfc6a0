import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules that count although axe gives them less weight, or leaves them out as experimental. */
const ALSO = [
  "aria-required-children",
  "label-content-name-mismatch",
  "page-has-heading-one",
  "empty-table-header",
];
const OPTIONS: RunOptions = { rules: Object.fromEntries(ALSO.map((id) => [id, { enabled: true }])) };

/** What axe finds in the page as it is: "rule: element". */
async function violations(window: WindowPage, screen: string): Promise<string[]> {
  if (!(await window.page.evaluate("typeof axe === 'object'"))) await window.page.evaluate(AXE);
  const results = (await window.page.evaluate(`axe.run(document, ${JSON.stringify(OPTIONS)})`)) as AxeResults;
  return results.violations
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || ALSO.includes(id))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${screen}: ${id}: ${html.slice(0, 200)}`));
}

describe.skipIf(peerMissing("tensorflow", "chromium"))("accessibility", () => {
  test("axe finds nothing serious in the main screens, in either theme", async ({ window }) => {
    const found: string[] = [];
    const look = async (screen: string) => void found.push(...(await violations(window, screen)));
    await look("first run");
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await window.select("z");
    const dialog = window.page.getByRole("dialog");
    for (const theme of ["light", "dark"]) {
      await window.button(`Change to the ${theme} theme`).click();
      await window.page.locator(`html[data-theme="${theme}"]`).waitFor();
      await window.page.getByRole("tab", { name: "Cluster" }).click();
      for (const tab of ["Results", "Timeline", "Logs", "Problems", "What to run"]) {
        await window.dockTab(tab).click();
        await window.page.getByRole("tabpanel", { name: tab }).waitFor();
        await look(`${theme}, ${tab}`);
      }
      await window.dockTab("Timeline").click();
      await window.button("Show table").click();
      await look(`${theme}, timeline as a table`);
      await window.button("Show lanes").click();
      await window.dockTab("Results").click();
      await window.page.getByRole("row", { name: /z:0/ }).getByRole("button", { name: "Open" }).click();
      await look(`${theme}, a tensor`);
      await window.page.getByRole("tab", { name: "z:0" }).press("Delete");
      await window.page.getByRole("tab", { name: "Ops" }).click();
      await window.button("List view").click();
      await look(`${theme}, ops and the list of nodes`);
      await window.button("List view").click();
      for (const [keys, name] of [
        ["Control+k", "commands"],
        ["?", "shortcuts"],
        ["Control+o", "files"],
      ] as const) {
        await window.canvas.focus();
        await window.press(keys);
        await dialog.waitFor();
        await look(`${theme}, ${name}`);
        await window.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      for (const command of [
        "Edit the cluster as a table",
        "Settings",
        "Who can use this cluster",
        "Use from Python",
        "About Tensordeck",
        "Show the log file",
        "Run a number of steps",
        "Add a machine by address",
        "Links between machines",
        "Add tasks on",
        "Details of",
        // A question: the tasks would be restarted.
        "Fixed membership",
      ]) {
        await window.press("Control+k");
        await dialog.getByPlaceholder("Search or run a command").fill(command);
        await window.press("Enter");
        await dialog.getByRole("heading").first().waitFor();
        await look(`${theme}, ${command}`);
        await window.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      await window.button("Menu").click();
      await window.page.getByRole("menu").waitFor();
      await look(`${theme}, menu`);
      await window.press("Escape");
    }
    expect(found).toEqual([]);
  });
});
