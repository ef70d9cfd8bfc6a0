/**
 * Takes the pictures of the window for the README and the guides: `npm run screenshots`, or `npm run screenshots -- NAME`
 * for some of them. The graphs in them have actually been run.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../support/browser.js";
import { repositoryRoot } from "../../support/find-peers.js";
import { startApp } from "./app.js";
import { WindowPage } from "./window-page.js";

const folder = join(repositoryRoot, "build", "screenshots");
/** A task reports its load once a second; its curves are visible only after several samples. */
const METRIC_SAMPLES_MILLIS = 8_000;

interface Picture {
  readonly size: { readonly width: number; readonly height: number };
  /** Brings the window to what is to be seen. */
  readonly prepare: (window: WindowPage) => Promise<void>;
}

/** Small enough that its text can be read at the width of a page. */
const GUIDE = { width: 1200, height: 720 };

const pictures: Readonly<Record<string, Picture>> = {
  "main-window": {
    size: { width: 1440, height: 860 },
    prepare: async (window) => {
      await window.startTwoWorkers();
      await window.runAndSee("z", "11.0");
      await window.button("Run 1000 steps").click();
      await window.page
        .getByRole("contentinfo")
        .getByText(/step .* ms/)
        .waitFor();
      await window.page.waitForTimeout(METRIC_SAMPLES_MILLIS);
      await window.runAndSee("z", "11.0");
      await window.select("z");
      await window.dockTab("Results").click();
      await window.page.getByRole("row", { name: /z:0/ }).waitFor();
      await window.button("Fit the graph").click();
    },
  },
  "sum-over-workers": {
    size: GUIDE,
    prepare: async (window) => {
      await runExample(window, "Sum over two workers", /^keep:0/);
      await window.dockTab("Results").click();
      await window.page.getByRole("row", { name: /^keep:0 / }).waitFor();
    },
  },
  "shared-variables": {
    size: GUIDE,
    prepare: async (window) => {
      await runExample(window, "Variables in two places", /^var2_add:0/);
      await window.dockTab("Timeline").click();
    },
  },
  training: {
    size: GUIDE,
    prepare: async (window) => {
      await runExample(window, "Train on two workers", /^loss:0/);
      await window.runDone(2, 500);
      await window.dockTab("Results").click();
      await window.page.getByRole("radio", { name: "Curves" }).click();
    },
  },
  "export-cluster": {
    size: GUIDE,
    prepare: async (window) => {
      await runExample(window, "Sum over two workers", /^keep:0/);
      await window.press("Control+k");
      await window.page.getByPlaceholder("Search or run a command").fill("Export cluster");
      await window.press("Enter");
      const dialog = window.page.getByRole("dialog", { name: "Export cluster" });
      await dialog.getByRole("combobox", { name: "System" }).selectOption("kubernetes");
      await dialog.getByText("kind: StatefulSet").first().waitFor();
    },
  },
};

/** Runs an example of the gallery, and waits for a result. */
async function runExample(window: WindowPage, title: string, result: RegExp): Promise<void> {
  await window.menu("Gallery of examples");
  await window.button(`Run example: ${title}`).click();
  await window.page.getByRole("row", { name: result }).first().waitFor();
  await window.button("Fit the graph").click();
}

async function take(browser: Browser, name: string, { size, prepare }: Picture): Promise<void> {
  const app = await startApp({ engine: "tensorflow" });
  try {
    const window = await WindowPage.open(browser, app.link, { viewport: size });
    await window.ready();
    await prepare(window);
    // Moves the pointer away: no tooltip, no hover colour.
    await window.page.mouse.move(size.width / 2, size.height / 2);
    await window.page.screenshot({ path: join(folder, `${name}.png`) });
    await window.close();
  } finally {
    await app.stop();
  }
  console.log(`Written: ${join(folder, `${name}.png`)}`);
}

const wanted = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
try {
  for (const [name, picture] of Object.entries(pictures)) {
    if (wanted.length === 0 || wanted.includes(name)) await take(browser, name, picture);
  }
} finally {
  await browser.close();
}
