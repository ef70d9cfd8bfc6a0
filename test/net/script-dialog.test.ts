/** The dialog *Run a script* in a real browser, with a paired machine that gets the files and makes the environment. */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strToU8, zipSync } from "fflate";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeBrowser, sharedBrowser } from "../e2e/support/fixtures.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { peerMissing } from "../support/peers.js";
import { failurePicture } from "../support/pictures.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

/** A package that pip installs without an index. */
function wheel(): Uint8Array {
  const info = "pace-1.0.dist-info";
  const files = {
    "pace.py": "MILLIS = 20\n",
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: pace\nVersion: 1.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((name) => `${name},,`).join("\n");
  const all = { ...files, [`${info}/RECORD`]: `${record}\n` };
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])));
}

describe.skipIf(peerMissing("namespaces", "chromium", "python"))("a script of two machines", () => {
  let network: Network;
  let laptop: Installation;
  let pi: Installation;
  let window: WindowPage;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["laptop", "raspberrypi"] });
    [laptop, pi] = await Promise.all([
      Installation.start(network.host("laptop")),
      Installation.start(network.host("raspberrypi")),
    ]);
    await laptop.pairWith(pi, "run");
    const project = join(laptop.folder, "project");
    mkdirSync(join(project, "data"), { recursive: true });
    copyFileSync(
      fileURLToPath(new URL("../e2e/scripts/train.py", import.meta.url)),
      join(project, "train.py"),
    );
    writeFileSync(join(project, "pace-1.0-py3-none-any.whl"), wheel());
    writeFileSync(join(project, "requirements.txt"), "./pace-1.0-py3-none-any.whl\n");
    writeFileSync(join(project, ".gitignore"), "data/\n");
    window = await WindowPage.open(await sharedBrowser(), await laptop.newLink());
    await window.ready();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await window?.page.screenshot({ path: failurePicture("script-dialog") });
  });

  afterAll(async () => {
    await window?.close();
    await Promise.all([laptop?.stop(), pi?.stop()]);
    await closeBrowser();
    await network?.dispose();
  });

  test("is planned, sent, started when ready, followed, stopped, and says why it failed", async () => {
    const { page } = window;
    const dialog = await window.chooseScript("project", "train.py");
    const machineOf = (task: string) => dialog.getByRole("combobox", { name: `Machine of ${task}` });
    await machineOf("worker/1").waitFor();
    const chosen = (task: string) => machineOf(task).locator("option:checked").textContent();
    expect([await chosen("worker/0"), await chosen("worker/1")]).toEqual(["laptop", "raspberrypi"]);
    await machineOf("ps/0").selectOption("none");
    await dialog.getByText("Left out: data/").waitFor();
    await dialog.getByText("requirements.txt 1 package").waitFor();
    await dialog.getByText(/^Sends .* to 1 other machine$/).waitFor();
    // Each machine says what it has, the other one by itself.
    await expect.poll(() => dialog.getByText(/^made when it starts, with Python 3/).count()).toBe(2);
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("--wait");
    await dialog.getByRole("button", { name: "Start when ready" }).click();
    await page.getByRole("button", { name: /^worker\/1 running/ }).waitFor();
    const log = page.getByRole("log", { name: "Output of the script" });
    await log.getByText("all 2").first().waitFor();
    await page.getByRole("region", { name: "Curve of loss" }).getByText("step 5").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).last().click();
    await page.getByRole("button", { name: /^worker\/0 stopped/ }).waitFor();
    await page.getByRole("button", { name: /^worker\/1 stopped/ }).waitFor();
    // The lines of both machines are one log; what each wrote of itself is in it, too.
    await page.getByRole("button", { name: /^worker\/1 stopped/ }).click();
    await log.getByText("step 5 loss 0.2000").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Change and run…" }).click();
    // Now both have the environment.
    await expect.poll(() => dialog.getByText(/^ready, Python 3/).count()).toBe(2);
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("--fail --wait");
    await dialog.getByRole("button", { name: "Start when ready" }).click();
    const problem = page
      .getByRole("alert")
      .filter({ hasText: "worker/1 on raspberrypi failed (exit code 1)." });
    await problem.getByText("ValueError: the loss is not a number").waitFor();
    expect(readdirSync(join(laptop.folder, "project"))).toContain("logs");
    expect(window.errors).toEqual([]);
  });

  test("says before it starts what each machine's own Python lacks", async () => {
    // The dialog of files begins where it was left.
    const bare = join(laptop.folder, "project", "bare");
    mkdirSync(bare);
    writeFileSync(join(bare, "lacking.py"), "import json, no_such_module\n");
    const dialog = await window.chooseScript("bare", "lacking.py");
    const machine = dialog.getByRole("combobox", { name: "Machine of worker/0" });
    for (const name of ["raspberrypi", "laptop"]) {
      await machine.selectOption(name);
      const row = dialog
        .getByRole("region", { name: "Packages" })
        .getByRole("paragraph")
        .filter({ hasText: name });
      await row.getByText(/^Python 3\.\d+ lacks no_such_module, which the script imports\./).waitFor();
    }
    await dialog.getByRole("textbox", { name: "Python" }).fill("no-such-python");
    await dialog.getByRole("textbox", { name: "Python" }).press("Enter");
    await dialog.getByText(/^no-such-python is no Python 3\./).waitFor();
    await window.press("Escape");
    expect(window.errors).toEqual([]);
  });
});
