/** Takes the README's screenshot of the window: `npm run screenshots`. The graph in it has actually been run. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser } from "../../support/browser.js";
import { repositoryRoot } from "../../support/find-peers.js";
import { startApp } from "./app.js";
import { WindowPage } from "./window-page.js";

const folder = join(repositoryRoot, "build", "screenshots");
/** A task reports its load once a second; its curves are visible only after several samples. */
const METRIC_SAMPLES_MILLIS = 8_000;

const app = await startApp();
const browser = await launchBrowser();
try {
  const window = await WindowPage.open(browser, app.link, { viewport: { width: 1440, height: 860 } });
  await window.ready();
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
  // Moves the pointer away: no tooltip, no hover colour.
  await window.page.mouse.move(720, 500);
  mkdirSync(folder, { recursive: true });
  await window.page.screenshot({ path: join(folder, "main-window.png") });
  await window.close();
} finally {
  await browser.close();
  await app.stop();
}
console.log(`Written: ${join(folder, "main-window.png")}`);
