import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import { afterAll, describe, expect } from "vitest";
import type { FirewallWizard } from "../../main/api/firewall.js";
import type { PairingState } from "../../main/api/machines.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { ToldEvents } from "./support/told-events.js";
import { WindowPage } from "./support/window-page.js";

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

/** For screens that were looked at in the light theme before: nothing else differs between themes. */
const COLOURS: RunOptions = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/** The faults that axe finds in the page as it is: "rule: element". A screen's name begins with its theme. */
async function violations(window: WindowPage, screen: string): Promise<string[]> {
  if (!(await window.page.evaluate("typeof axe === 'object'"))) await window.page.evaluate(AXE);
  const rules = screen.startsWith("dark") ? COLOURS : OPTIONS;
  const options: RunOptions = { ...rules, resultTypes: ["violations"] };
  const results = (await window.page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return results.violations
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || ALSO.includes(id))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${screen}: ${id}: ${html.slice(0, 200)}`));
}

const ID = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst";
const pairing = (more: Partial<PairingState>): PairingState => ({
  ...{ id: "p", side: "enter", machine: { id: ID, name: "gpu-pc", address: "10.0.0.2:2220" } },
  ...{
    ownId: ID,
    step: "code",
    expiresAt: Date.now() + 3_600_000,
    triesLeft: 3,
    grantedRole: "run",
    ...more,
  },
});
const PAIRING_TEXTS = {
  "the code is typed": "Pair with gpu-pc",
  "the code is wrong": /does not match/,
  "the code is shown": "gpu-pc wants to pair",
} as const;
const PAIRINGS: readonly (readonly [keyof typeof PAIRING_TEXTS, PairingState])[] = [
  ["the code is typed", pairing({})],
  ["the code is wrong", pairing({ step: "wrong", triesLeft: 1 })],
  ["the code is shown", pairing({ id: "q", side: "show", code: "123456" })],
];

const PLAN: NonNullable<FirewallWizard["plan"]> = {
  rules: ["TCP", "UDP"].map((protocol) => ({
    ...{
      name: "Tensordeck",
      protocol,
      ports: "2220",
      from: "10.0.0.0/24",
      profile: "Private",
      purpose: "the agent",
    },
  })),
  ...{ removals: [], script: "ufw allow 2220", undoScript: "# remove both rules", elevation: "pkexec" },
  ...{ command: "sudo sh rules.sh", notes: [{ kind: "warning", text: "Task ports have no password." }] },
};
const wizard = (step: FirewallWizard["step"], more: Partial<FirewallWizard> = {}): FirewallWizard => ({
  ...{
    machine: { id: "a", name: "gpu-pc" },
    peer: { id: "b", name: "pi", address: "10.0.0.3" },
    ports: [2220],
  },
  ...{ scope: { kind: "subnet" }, removeBlockRules: false, step, busy: false, plan: PLAN },
  ...{ headline: `Step ${step}`, explanation: "It does not answer." },
  proof: [{ what: "pi → gpu-pc:2220", outcome: "failed", detail: "timed out after 3.0 s" }],
  verification: [{ what: "pi → gpu-pc:2220", outcome: "ok", detail: "connected in 2 ms" }],
  ...more,
});
const FIREWALL: readonly FirewallWizard[] = [
  wizard("blocked"),
  wizard("change"),
  wizard("apply", { apply: { state: "waiting", since: Date.now() } }),
  wizard("apply", { apply: { state: "declined", since: Date.now() } }),
  wizard("verify", { apply: { state: "applied", since: Date.now() } }),
];

const RUNTIME_OFFER = {
  offer: { version: "2.21.0", downloadBytes: 2e8, installedBytes: 6e8, freeBytes: 9e10, gpu: false },
};

describe.skipIf(peerMissing("chromium"))("accessibility", () => {
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
      for (const tab of ["Results", "Timeline", "Logs", "Problems", "What to run", "Runs", "Lanes"]) {
        await window.dockTab(tab).click();
        await window.page.getByRole("tabpanel", { name: tab }).waitFor();
        await look(`${theme}, ${tab}`);
      }
      await window.page.getByRole("tab", { name: "Placement" }).click();
      for (const by of ["op", "time"]) {
        await window.press("Control+k");
        await window.page.keyboard.type(`Colour nodes by ${by}`);
        await window.press("Enter");
        await window.page.getByRole("region", { name: "Colours of nodes" }).waitFor();
        await look(`${theme}, placement and colours by ${by}`);
      }
      await window.page.getByRole("radio", { name: "Task", exact: true }).click();
      await window.dockTab("Timeline").click();
      await window.page.getByRole("radio", { name: "Table" }).click();
      await look(`${theme}, timeline as a table`);
      for (const view of ["Memory", "Compare"]) {
        await window.page.getByRole("radio", { name: view }).click();
        await look(`${theme}, timeline, ${view}`);
      }
      await window.page.getByRole("radio", { name: "Lanes", exact: true }).click();
      await window.dockTab("Results").click();
      await window.page.getByRole("row", { name: /z:0/ }).getByRole("button", { name: "Open" }).click();
      await look(`${theme}, a tensor`);
      await window.page.getByRole("radio", { name: "Histogram" }).click();
      await window.page.getByRole("img", { name: /^Histogram of/ }).waitFor();
      await look(`${theme}, a tensor's histogram`);
      await window.page.getByRole("radio", { name: "Values" }).click();
      await window.page.getByRole("tab", { name: "z:0" }).press("Delete");
      await window.dockTab("Results").click();
      await window.page.getByRole("radio", { name: "Curves" }).click();
      await window.page.getByRole("img", { name: /^z:0 by step/ }).waitFor();
      await look(`${theme}, curves`);
      await window.button("Table").click();
      await look(`${theme}, curves as a table`);
      await window.button("Table").click();
      await window.page.getByRole("radio", { name: "Values" }).click();
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
        "Export cluster",
        "Kubernetes…",
        "Settings",
        "Guides",
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
      await window.press("Alt+n");
      await window.page.getByRole("tab", { name: "untitled" }).waitFor();
      await look(`${theme}, tabs of documents`);
      await window.press("Control+w");
      await window.page.getByRole("tab", { name: "untitled" }).waitFor({ state: "detached" });
    }
    expect(found).toEqual([]);
  });

  test("nor in its menus, choosers and notices", async ({ window }) => {
    const { page } = window;
    const found: string[] = [];
    const look = async (screen: string) => void found.push(...(await violations(window, screen)));
    const menu = page.getByRole("menu");
    // A menu that has gone gives the focus back a moment later.
    const closeMenu = async () => {
      await window.press("Escape");
      await menu.waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate("document.activeElement !== document.body")).toBe(true);
    };
    const dialog = page.getByRole("dialog");
    await window.startTwoWorkers();
    for (const theme of ["light", "dark"]) {
      await window.button(`Change to the ${theme} theme`).click();
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      for (const name of [/^Session target/, "Number of steps"]) {
        await window.button(name).click();
        await menu.waitFor();
        await look(`${theme}, menu ${name}`);
        await closeMenu();
      }
      for (const row of [
        window.task("worker/0"),
        page.getByRole("treeitem", { name: /, this machine, / }).first(),
      ]) {
        await row.focus();
        await window.press("Enter");
        await menu.waitFor();
        await look(`${theme}, menu of a row`);
        await closeMenu();
      }
      await window.select("z");
      await window.canvas.focus();
      await window.press("Shift+F10");
      await menu.waitFor();
      await look(`${theme}, menu of a node`);
      await closeMenu();
      for (const [keys, name] of [
        ["p", "tasks to pin to"],
        ["c", "ops to connect to"],
      ] as const) {
        await window.canvas.focus();
        await window.press(keys);
        await page.getByRole("listbox").waitFor();
        await look(`${theme}, ${name}`);
        await window.press("Escape");
        await page.getByRole("listbox").waitFor({ state: "detached" });
      }
      await window.press("Control+Shift+s");
      await dialog.waitFor();
      await look(`${theme}, save as`);
      await window.press("Escape");
      await dialog.waitFor({ state: "detached" });
      // The messages of a graph that cannot run, in the bar of messages, and at its node.
      await window.select("x");
      await window.press("Delete");
      await window.runButton.click();
      await page.getByRole("region", { name: "Messages" }).getByRole("alert").waitFor();
      await window.select("z");
      await look(`${theme}, a problem`);
      await window.press("Control+z");
      await window.node("x").waitFor();
    }
    expect(found).toEqual([]);
  });

  describe("where a runtime is offered", () => {
    test.override({ appOptions: { offer: true } });

    test("nor while machines are paired, a firewall is changed, a runtime is installed, and edits are offered again", async ({
      app,
      window: first,
    }) => {
      // Its edits stay behind when its page goes.
      await first.select("z");
      await first.press("Delete");
      await expect.poll(() => readdirSync(join(app.folder, "data", "drafts"))).toHaveLength(1);
      await first.page.close({ runBeforeUnload: false });
      let events: ToldEvents | undefined;
      const window = await WindowPage.open(await sharedBrowser(), await app.newLink(), {}, async (page) => {
        events = await ToldEvents.of(page);
      });
      await window.ready();
      const { page } = window;
      const found: string[] = [];
      const look = async (screen: string) => void found.push(...(await violations(window, screen)));
      const dialog = page.getByRole("dialog");
      await page.getByRole("region", { name: "Unsaved edits" }).waitFor();
      for (const theme of ["light", "dark"]) {
        await window.button(`Change to the ${theme} theme`).click();
        await page.locator(`html[data-theme="${theme}"]`).waitFor();
        await look(`${theme}, drafts`);
        for (const [name, state] of PAIRINGS) {
          events?.tell("pairing", state);
          await dialog.getByText(PAIRING_TEXTS[name]).first().waitFor();
          await look(`${theme}, pairing, ${name}`);
        }
        events?.tell("pairing");
        await dialog.waitFor({ state: "detached" });
        for (const wizard of FIREWALL) {
          events?.tell("firewall", wizard);
          await dialog.getByRole("heading", { level: 3 }).waitFor();
          await dialog.locator(`[aria-current="step"]`).waitFor();
          await look(`${theme}, firewall, ${wizard.step}`);
        }
        events?.tell("firewall");
        await dialog.waitFor({ state: "detached" });
        events?.tell("runtime", RUNTIME_OFFER);
        await page.getByText(/^Tasks run on the portable engine/).waitFor();
        await look(`${theme}, offer of a runtime`);
        await window
          .button(/^Install TensorFlow runtime/)
          .first()
          .click();
        await dialog.waitFor();
        await look(`${theme}, install`);
        await window.press("Escape");
        await dialog.waitFor({ state: "detached" });
        events?.tell("runtime", {
          ...RUNTIME_OFFER,
          progress: { phase: "downloading", doneBytes: 1e8, totalBytes: 5e8 },
        });
        await page.getByRole("progressbar", { name: /^Downloading/ }).waitFor();
        await look(`${theme}, installation`);
        events?.tell("runtime", {
          ...RUNTIME_OFFER,
          problem: { code: "UNAVAILABLE", message: "The download failed." },
        });
        await page.getByText("The download failed.").waitFor();
        await look(`${theme}, failed installation`);
      }
      expect(window.errors).toEqual([]);
      await app.process.stop();
      await page.getByText("Connection lost, reconnecting…").waitFor();
      await look("connection lost");
      await window.close();
      expect(found).toEqual([]);
    });
  });
});
