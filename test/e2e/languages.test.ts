import type { Page } from "playwright-core";
import { afterAll, describe, expect } from "vitest";
import { english } from "../../renderer/texts/english/index.js";
import { messagesOf } from "../../renderer/texts/messages.js";
import { pseudo } from "../../renderer/texts/pseudo.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** The texts as the pseudo-language has them. */
const odd = messagesOf(english, { locale: "en-GB", alter: pseudo });

/** Names and values, which are the same in every language. */
const DATA: readonly RegExp[] = [
  // The welcome graph, tasks, addresses, files and versions.
  /^(?:Welcome|English|Pseudo-English|ps|worker|(?:worker|ps)\/\d|grpc|localhost|local)$/,
  // Keys, and names of products and protocols.
  /^(?:Ctrl|Alt|Shift|Esc|Del|Enter|Space|Tab|F\d+|Tensordeck|TensorFlow|Apache|CPU|GPUs?|Linux|x64|TCP)$/,
  // Ops, nodes with theirs, parts of op names that a search found, arguments, and lists of dtypes.
  /^(?:[abxyz], )?(?:Abs|AddV2|Const|Mul|Complex|Risc|output)$/,
  /^(?:b?float|int)\d+(?: \[\]|(?:, (?:b?float|int)\d+)*)$/,
  // The application's own texts on its engine, and the name that React Flow shows of itself.
  /^TensorFlow [\d.]+, |^React Flow(?: attribution)?$/,
];

/** Words that are shown or spoken, and not accented. */
async function plainWords(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Text) found.push(node.data);
      if (node instanceof Element)
        for (const name of ["aria-label", "aria-roledescription", "title", "placeholder", "alt"])
          found.push(node.getAttribute(name) ?? "");
    }
    return found;
  });
  // A text may hold names among its words; a word with a vowel that has no accent is none of the catalogue.
  const plain = texts.filter((text) => /[a-z]{3}/i.test(text) && !/[^\x20-\x7e…·→−–×↑↓←]/.test(text));
  return [...new Set(plain)].filter((text) => !DATA.some((data) => data.test(text.trim())));
}

/** Controls whose text does not fit, and what is wider than the window. */
async function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide = document.querySelectorAll<HTMLElement>(
      "button, label, [role=dialog], [role=menuitem], [role=tab]",
    );
    const cut = [...wide].filter((one) => {
      const { right, width } = one.getBoundingClientRect();
      // Texts that are only spoken are one pixel wide; one that ends in an ellipsis has its whole text as tooltip or name.
      if (width <= 1 || getComputedStyle(one).textOverflow === "ellipsis") return false;
      return one.scrollWidth > one.clientWidth + 1 || right > innerWidth + 1;
    });
    return cut.map((one) => one.outerHTML.slice(0, 160));
  });
}

describe.skipIf(peerMissing("chromium"))("the window in another language", () => {
  test("shows only texts of the catalogue, and has room for longer ones", async ({ app }) => {
    const window = await WindowPage.open(
      await sharedBrowser(),
      app.link.replace("#", "?language=en-x-pseudo#"),
    );
    const { page } = window;
    await window.node("z").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en-x-pseudo");
    const seen: string[] = [];
    const look = async (surface: string) => {
      for (const text of await plainWords(page)) seen.push(`${surface}: ${text}`);
      for (const control of await cutOff(page)) seen.push(`${surface}, cut off: ${control}`);
    };
    await look("window");
    await page.getByRole("button", { name: odd.app.mainMenu.menu, exact: true }).click();
    await page.getByRole("menuitem", { name: odd.commands.settings.open.label }).waitFor();
    await look("menu");
    await page.getByRole("menuitem", { name: odd.commands.settings.open.label }).click();
    await page.getByRole("dialog", { name: odd.dialogs.settingsDialog.title }).waitFor();
    await look("settings");
    await window.press("Escape");
    await window.press("Control+k");
    await page.getByRole("dialog", { name: odd.dialogs.palette.commands }).waitFor();
    await look("palette");
    await page.keyboard.type("?");
    await page.getByRole("dialog", { name: odd.dialogs.shortcutsDialog.title }).waitFor();
    await look("shortcuts");
    await window.press("Escape");
    await window.node("z").locator("[data-node-head]").click();
    await page.getByText(odd.inspector.nodeInspector.placed).waitFor();
    await look("node");
    await window.node("z").locator("[data-node-head]").click({ button: "right" });
    await page.getByRole("menuitem", { name: odd.commands.node.rename.label }).waitFor();
    await look("menu of a node");
    await page.getByRole("menuitem", { name: odd.commands.node.rename.label }).click();
    await page.keyboard.type("a name");
    await window.press("Enter");
    await page.getByText(odd.document.edits.rename.wrongName).waitFor();
    await look("refusal");
    await window.press("Escape");
    await page.getByRole("tab", { name: odd.app.sideTabs.tabs.ops }).click();
    await page.getByLabel(odd.opsPanel.opsPanel.search).fill("Abs");
    await page.getByRole("treeitem", { name: /^Abs/ }).hover();
    await page.getByText(odd.opHelp.ops.Abs).waitFor();
    await look("op");
    await window.node("y").locator("[data-node-head]").click();
    await window.press("Delete");
    await page
      .getByText(odd.document.problems.missing.short({ input: "y" }))
      .first()
      .waitFor();
    await look("problem at a node");
    await window.press("Control+Enter");
    await page
      .getByRole("alert")
      .getByText(odd.document.problems.missing.message({ input: "y", node: "z" }))
      .waitFor();
    await look("run that cannot start");
    await window.close();
    expect(seen).toEqual([]);
  });
});
