import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

const ROWS = 1000;

const ENGINES = [
  { engine: "portable", isMissing: peerMissing("chromium") },
  { engine: "tensorflow", isMissing: peerMissing("tensorflow", "chromium") },
] as const;

describe.each(ENGINES)("running in the window, on $engine", ({ engine, isMissing }) => {
  describe.skipIf(isMissing)("the window", () => {
    test.override({ appOptions: { engine } });

    test("a column of a CSV file is summed over two workers: 1,000 ones give 1000", async ({
      window,
      app,
    }) => {
      await window.startTwoWorkers();
      await window.menu("Open example", "Sum of a CSV column");
      await window.node("total").waitFor();
      await window.runButton.click();
      // Nothing is fed yet: the window says so, names the node and offers to go there.
      await window.alerts.getByText(/input/).first().waitFor();
      await window.button("Select input").click();

      const csv = join(app.folder, "ones.csv");
      writeFileSync(
        csv,
        `name,ones\n${Array.from({ length: ROWS }, (_, row) => `row ${row},1`).join("\n")}\n`,
      );
      await window.inspector.locator('input[data-feed-file="input:0"]').setInputFiles(csv);
      await window.inspector.getByText("ones.csv").waitFor();
      const column = window.inspector.getByRole("combobox", { name: "Column" });
      await column.fill("ones");
      await column.press("Enter");
      await window.runButton.click();
      await window.dockTab("Results").click();
      const row = window.page.getByRole("row", { name: /total:0/ });
      await row.getByText("1000", { exact: true }).waitFor();
      expect(await row.textContent()).toMatch(/int32/);
    });

    test("a value typed in is checked against the placeholder before anything runs", async ({ window }) => {
      await window.startTwoWorkers();
      await window.menu("Open example", "Sum of a CSV column");
      await window.node("input").waitFor();
      await window.select("input");
      const value = window.inspector.getByRole("textbox", { name: "Value" });
      await value.fill("[1, two]");
      await value.press("Tab");
      await window.inspector.getByRole("alert").waitFor();
      await value.fill("[1, 2, 3, 4, 5]");
      await value.press("Tab");
      await window.runButton.click();
      await window.dockTab("Results").click();
      await window.page
        .getByRole("row", { name: /total:0/ })
        .getByText("15", { exact: true })
        .waitFor();
    });

    test("a long run shows its progress and stops after its step", async ({ window }) => {
      await window.startTwoWorkers();
      await window.startLongRun();
      await window.button("Stop").click();
      await window.button("Stop").waitFor({ state: "hidden" });
      await window.value("z").getByText("11.0", { exact: true }).waitFor();
      await window.dockTab("Results").click();
      const steps = /step ([\d,]+)/.exec(
        (await window.page.getByRole("tabpanel", { name: "Results" }).textContent()) ?? "",
      )?.[1];
      expect(Number(steps?.replaceAll(",", ""))).toBeGreaterThan(0);
      expect(Number(steps?.replaceAll(",", ""))).toBeLessThan(1_000_000);
    });

    test("a worker that dies while it runs is named, with the reason and a way on; started again, the graph runs", async ({
      window,
      app,
    }) => {
      await window.startTwoWorkers();
      const api = await ApiClient.connect(await app.newLink());
      try {
        const [, second] = await api.runningTasks(2);
        await window.startLongRun();
        process.kill(second?.pid ?? 0, "SIGKILL");
      } finally {
        api.close();
      }
      await window.page
        .getByRole("region", { name: "Messages" })
        .getByRole("alert")
        .getByText(/worker\/1/)
        .first()
        .waitFor();
      const row = window.task("worker/1");
      await row.getByText("failed", { exact: true }).waitFor();
      expect(await row.getByRole("alert").textContent()).toMatch(/SIGKILL|killed/i);
      await row.getByRole("button", { name: "Start again" }).click();
      await row.and(window.page.getByRole("treeitem", { name: /, running,/ })).waitFor();
      await window.runAndSee("z", "11.0");
    });

    test("a worker is stopped, started and removed from its menu, and its log can be read", async ({
      window,
    }) => {
      await window.startTwoWorkers();
      const first = window.task("worker/0");
      const choose = async (name: string) => {
        await first.getByRole("button", { name: "Menu of worker/0" }).click();
        await window.page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();
      };
      await choose("Show log");
      await window.page
        .getByRole("tabpanel")
        .getByText(/Started server|target|grpc/i)
        .first()
        .waitFor();
      await choose("Stop");
      await first.and(window.page.getByRole("treeitem", { name: /, stopped,/ })).waitFor();
      await choose("Start");
      await first.and(window.page.getByRole("treeitem", { name: /, running,/ })).waitFor();
      await choose("Remove");
      await first.waitFor({ state: "detached" });
    });
  });
});
