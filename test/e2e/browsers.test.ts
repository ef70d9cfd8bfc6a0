/** A short walk through the window in each browser that this machine has. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { savePicture } from "../support/pictures.js";
import { type RunningApp, startApp } from "./support/app.js";
import { openChromium } from "./support/browsers/chromium-page.js";
import type { DrivenPage } from "./support/browsers/driven-page.js";
import { openFirefox } from "./support/browsers/firefox-page.js";
import { openWebkit } from "./support/browsers/webkit-page.js";
import { byRole, ofNode, WindowWalk } from "./support/browsers/window-walk.js";

const BROWSERS = [
  { name: "Chromium", open: openChromium, isMissing: peerMissing("chromium") },
  { name: "Firefox", open: openFirefox, isMissing: peerMissing("firefox") },
  { name: "WebKitGTK", open: openWebkit, isMissing: peerMissing("webkit") },
];

const ROWS = '[role="tree"][aria-label="Cluster"] [role="treeitem"]';
/** The ghost that follows the pointer while nodes are dragged outside of the canvas. */
const GHOST = 'document.querySelector("body > [aria-hidden=true]")';
/** Texts that the element around them cuts or does not hold. */
const OVERFLOWING = `
  const ghost = ${GHOST};
  const outer = ghost.getBoundingClientRect();
  const walker = document.createTreeWalker(ghost, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right } = range.getBoundingClientRect();
    if (left < outer.left || right > outer.right) found.push(node.data);
  }
  return found;`;

describe.each(BROWSERS)("the window in $name", ({ name, open, isMissing }) => {
  describe.skipIf(isMissing)("is walked through", () => {
    let app: RunningApp;
    let page: DrivenPage;
    let walk: WindowWalk;

    beforeAll(async () => {
      app = await startApp();
      page = await open();
      walk = new WindowWalk(page);
      console.log(page.browser);
    });
    afterAll(async () => {
      await page?.close();
      await app?.stop();
    });

    test("from its start to 11.0", async () => {
      await walk.open(app.link);
      await walk.box(ofNode("z"));
      await walk.click(byRole("button", "Start 2 workers"));
      await walk.box(byRole("treeitem", /^worker\/1, running,/));
      await walk.click(byRole("button", "Run"));
      await walk.see(ofNode("z", "[data-node-value=result]"), "11.0");
      await savePicture(`${name}-first-run`, () => page.screenshot());
    });

    test("a node is pinned by dragging: no row moves away, and what is dragged holds its text", async () => {
      const rows = await walk.boxes(ROWS);
      expect(rows.length).toBeGreaterThan(3);
      await walk.take(ofNode("z", "[data-node-head]"));
      await walk.moveOnto(byRole("treeitem", /, this machine,/));
      await walk.see(GHOST, /drop on a task/);
      expect(await page.evaluate(OVERFLOWING)).toEqual([]);
      expect(await walk.boxes(ROWS)).toEqual(rows);
      await savePicture(`${name}-drag`, () => page.screenshot());
      await walk.moveOnto(byRole("treeitem", /^worker\/0,/));
      await walk.see(byRole("treeitem", /^worker\/0,/), /Pin 1 node/);
      expect(await walk.boxes(ROWS)).toEqual(rows);
      await savePicture(`${name}-target`, () => page.screenshot());
      await walk.drop();
      await walk.see(ofNode("z", "[data-node-place]"), "worker/0");
    });

    test("an example of the gallery trains, with curves that grow", async () => {
      await walk.click(byRole("button", "Menu"));
      await walk.click(byRole("menuitem", /^Gallery of examples/));
      await walk.click(byRole("button", "Run example: Train on digits"));
      const chart = byRole("img", /^loss:0 by step/);
      await walk.box(chart);
      const drawn = new Set<unknown>();
      const look = async () => {
        drawn.add(await page.evaluate(`return (${chart})?.innerHTML;`));
        return page.evaluate(`return (${byRole("row", /^run \d+ .*done 500/)}) !== undefined;`);
      };
      await expect.poll(look, { timeout: 120_000 }).toBe(true);
      expect(drawn.size).toBeGreaterThan(2);
      await savePicture(`${name}-training`, () => page.screenshot());
    });

    test("nothing of it violates the page's own policy", async () => {
      expect(await page.violations()).toEqual([]);
    });
  });
});
