/** The window of a headless host on another platform, in Chromium on this one. */
import assert from "node:assert/strict";
import { WindowPage } from "../e2e/support/window-page.js";
import { launchBrowser } from "../support/browser.js";

/** Settings without which the first window asks whether to show the tour. */
export const SETTINGS = JSON.stringify({ tourSeen: true, runtimeBannerDismissed: true });

export const WALK =
  "the window of the headless host starts two workers, runs, pins by dragging, saves and opens a file, trains 50 steps";

const HEADLESS = "build/out/program/headless/main.js";
const TRAINING_STEPS = 50;

/** The arguments of Node that start such a host, and the line by which it says its address. */
export function headlessHost(program: (path: string) => string, dataFolder: string) {
  return {
    args: [program(HEADLESS), "--port", "0", "--data-dir", dataFolder],
    env: { TENSORDECK_NETWORK: "loopback" },
    ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
  };
}

/**
 * Starts two workers, runs, pins by dragging, saves and opens a file, and trains.
 *
 * @param name of the file that is saved, in the folder that the dialog opens
 */
export async function walkThroughWindow(link: string, name: string, hangingMillis: number): Promise<void> {
  const browser = await launchBrowser();
  try {
    const window = await WindowPage.open(browser, link);
    window.page.setDefaultTimeout(hangingMillis);
    await window.ready();
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await window.drag(window.node("x"), window.task("worker/1"));
    await window.chip("x").getByText("worker/1").waitFor();
    await window.runAndSee("z", "11.0");
    await window.saveAs(name);
    await window.closeDocument();
    await window.openFile(name);
    await window.chip("x").getByText("worker/1").waitFor();
    await train(window);
    assert.deepEqual(window.errors, []);
  } finally {
    await browser.close();
  }
}

/** On handwritten digits, whose model has a part on each worker. */
async function train(window: WindowPage): Promise<void> {
  await window.menu("Open example", "Train on digits");
  await window.button("Run configuration: train").waitFor();
  await window.startSteps(TRAINING_STEPS);
  await window.button("Run init, then run again").click();
  await window.dockTab("Runs").click();
  const done = new RegExp(`^run \\d+ .*done ${TRAINING_STEPS}`);
  await window.page.getByRole("row", { name: done }).first().waitFor();
}
