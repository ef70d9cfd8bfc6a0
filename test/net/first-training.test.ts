/** From two fresh machines to a classifier of digits that trains on both, by as few clicks as possible. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeBrowser, sharedBrowser } from "../e2e/support/fixtures.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { peerMissing } from "../support/peers.js";
import { failurePicture } from "../support/pictures.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

const MOST_CLICKS = 6;

/** The actions of the user of a page, as the page itself sees it. */
class UserInput {
  #clicks = 0;
  #keys = "";

  private constructor() {}

  /** Must be called before the page is opened. */
  static async of(page: Page): Promise<UserInput> {
    const input = new UserInput();
    await page.exposeFunction("noteClick", () => {
      input.#clicks += 1;
    });
    await page.exposeFunction("noteKey", (key: string) => {
      input.#keys += key;
    });
    await page.addInitScript(() => {
      const { noteClick, noteKey } = globalThis as unknown as Record<string, (key?: string) => void>;
      const listen = (kind: string, note: (event: Event) => void) =>
        addEventListener(kind, (event) => (event.isTrusted ? note(event) : undefined), { capture: true });
      // Any button of the mouse; a click that the keyboard makes has no pointer.
      listen("pointerdown", () => noteClick?.());
      listen("keydown", (event) => noteKey?.((event as KeyboardEvent).key));
    });
    return input;
  }

  get clicks(): number {
    return this.#clicks;
  }

  /** The keys that were pressed, in order. */
  get keys(): string {
    return this.#keys;
  }
}

describe.skipIf(peerMissing("namespaces", "chromium"))("two machines that have just been installed", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let window: WindowPage;
  let piWindow: WindowPage;
  const inputs: UserInput[] = [];

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
    const browser = await sharedBrowser();
    const note = async (page: Page) => void inputs.push(await UserInput.of(page));
    window = await WindowPage.open(browser, await gpuPc.newLink(), {}, note);
    piWindow = await WindowPage.open(browser, await pi.newLink(), {}, note);
    await Promise.all([window.ready(), piWindow.ready()]);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await window?.page.screenshot({ path: failurePicture("first-training") });
  });

  afterAll(async () => {
    await Promise.all([window?.close(), piWindow?.close()]);
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await closeBrowser();
    await network?.dispose();
  });

  test(`train a classifier of digits together after ${MOST_CLICKS} clicks and the pairing's code`, async () => {
    const { page } = window;
    await window.button("Pair with raspberrypi").click();
    const digits = await piWindow.pairingCode("gpu-pc");
    const dialog = page.getByRole("dialog", { name: "Pair with raspberrypi" });
    // The first box has the focus.
    await dialog.getByRole("textbox").first().and(page.locator(":focus")).waitFor();
    await page.keyboard.type(digits);
    await dialog.getByRole("button", { name: "Pair", exact: true }).click();
    const paired = page.getByRole("dialog", { name: "Paired with raspberrypi" });
    await paired.getByRole("button", { name: "Close" }).last().click();
    await window.menu("Gallery of examples");
    const gallery = page.getByRole("dialog", { name: "Examples" });
    const machines = gallery.getByRole("group", { name: "Workers that an example needs are started on" });
    await expect.poll(() => machines.getByRole("checkbox", { checked: true }).count()).toBe(2);
    await gallery.getByRole("button", { name: "Run example: Train on digits" }).click();

    await window.runDone(2, 500);
    await page.getByRole("row", { name: /^loss:0/ }).waitFor();
    const [mine, theirs] = inputs;
    expect(digits).toMatch(/^\d{6}$/);
    expect(mine?.keys).toBe(digits);
    expect([theirs?.keys, theirs?.clicks]).toEqual(["", 0]);
    expect(mine?.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    console.log(`${mine?.clicks} clicks from the welcome screen to a training on two machines.`);

    // Each machine computed its part.
    const tasks = (await gpuPc.machines()).map((machine) => [
      machine.name,
      machine.tasks.map(({ job, index, state }) => `${job}/${index} ${state}`),
    ]);
    expect(tasks).toEqual([
      ["gpu-pc", ["worker/0 running"]],
      ["raspberrypi", ["worker/1 running"]],
    ]);
    const latest = await gpuPc.api.call("runs.latest");
    const curves = await gpuPc.api.call("runs.scalars", { runId: latest?.runId ?? "" });
    const losses = curves.find(({ name }) => name === "loss:0")?.values ?? [];
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 4);
    expect(window.errors).toEqual([]);
  });
});
