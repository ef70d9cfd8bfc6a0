/** The desktop program from its start to its end, whatever stands around its main process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Bridge } from "../../../main/api/bridge.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { settleIn } from "../support/app.js";
import { draftsIn } from "../support/drafts.js";
import { WindowPage } from "../support/window-page.js";
import type { Desktop, MenuEntry, StartDesktop } from "./desktop.js";

/** A document with one node of that name. */
function writeGraph(folder: string, file: string, node: string): string {
  const path = join(folder, file);
  writeFileSync(path, `node { name: "${node}" op: "NoOp" }\n`);
  return path;
}

/** An account's home, in which the program has been used before; removed after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-desktop-"));
  settleIn(join(folder, "data"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The window that is open, once it can be used. */
export async function windowOf(desktop: Desktop): Promise<WindowPage> {
  const window = WindowPage.of(await desktop.page());
  await window.runButton.waitFor();
  return window;
}

/** An edit that is kept on disk. */
export async function deleteNode(window: WindowPage, folder: string, name: string): Promise<void> {
  await window.deleteNode(name);
  await expect.poll(() => draftsIn(folder)).toHaveLength(1);
}

/** A run that has lasted so long (10 s) that the program asks before it ends. */
async function startLongRun(window: WindowPage): Promise<void> {
  await window.startTwoWorkers();
  await window.startLongRun();
  const latest = () =>
    window.page.evaluate(async () => {
      const { tensordeck } = globalThis as unknown as { readonly tensordeck: Bridge };
      const answer = await tensordeck.request("runs.latest", undefined);
      return answer.ok ? (answer.result as RunUpdate | undefined)?.elapsedMillis : undefined;
    });
  await expect.poll(latest, { timeout: 120_000, interval: 500 }).toBeGreaterThan(10_000);
}

const labels = (menu: readonly MenuEntry[] | undefined) => menu?.map(({ label }) => label);

/** Its tests, for any way to start the program. */
export function walkDesktop(start: StartDesktop): void {
  async function started(folder = freshFolder(), ...args: readonly string[]): Promise<Desktop> {
    const desktop = await start({ folder, args });
    onTestFinished(() => desktop.dispose());
    return desktop;
  }

  test("the window opens, is confined and runs the welcome graph; the menu quits", async () => {
    const desktop = await started();
    const window = await windowOf(desktop);
    await window.ready();
    await expect.poll(() => desktop.isShown()).toBe(true);
    const reachable = await window.page.evaluate(() =>
      ["require", "process", "ipcRenderer", "electron"].filter((name) => name in globalThis),
    );
    expect(reachable, "names that a confined page must not have").toEqual([]);
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    expect(window.errors).toEqual([]);

    expect(labels(await desktop.menu())).toEqual(["File", "Edit", "View"]);
    await desktop.choose("File", "quit");
    expect(await desktop.exited).toEqual({ code: 0, signal: null });
  });

  test("documents come from arguments, a second start, the file manager and links, into one window", async () => {
    const folder = freshFolder();
    const desktop = await started(folder, writeGraph(folder, "first.pbtxt", "first"));
    const window = await windowOf(desktop);
    await window.node("first").waitFor();
    expect(await desktop.startAgain(writeGraph(folder, "second é.pbtxt", "second"))).toEqual({
      code: 0,
      signal: null,
    });
    await window.node("second").waitFor();
    await desktop.openFile(writeGraph(folder, "third.pbtxt", "third"));
    await window.node("third").waitFor();
    const linked = writeGraph(folder, "fourth.pbtxt", "fourth");
    await desktop.openLink("tensordeck://open?path=//server/share/fourth.pbtxt");
    await desktop.openLink(`tensordeck://open?path=${encodeURIComponent(linked)}`);
    await window.node("fourth").waitFor();
    const tabs = window.page.getByRole("tablist", { name: "Documents" }).getByRole("tab");
    await expect.poll(() => tabs.count()).toBe(4);
    expect(window.errors).toEqual([]);
  });

  test("documents are opened and saved by the system's dialogs", async () => {
    const folder = freshFolder();
    const desktop = await started(folder);
    const window = await windowOf(desktop);
    await window.ready();
    await window.press("Control+o");
    const cancelled = await desktop.nextDialog();
    expect(cancelled.method).toBe("showOpenDialog");
    await cancelled.answer(undefined);
    await window.press("Control+o");
    await (await desktop.nextDialog()).answer(writeGraph(folder, "opened.pbtxt", "opened"));
    await window.node("opened").waitFor();
    await window.press("Control+Shift+s");
    const saving = await desktop.nextDialog();
    expect(saving.method).toBe("showSaveDialog");
    expect(saving.options.defaultPath).toContain("opened.pbtxt");
    const saved = join(folder, "saved.pbtxt");
    await saving.answer(saved);
    await expect.poll(() => window.page.title()).toBe("saved.pbtxt · Tensordeck");
    expect(readFileSync(saved, "utf8")).toContain('name: "opened"');
  });

  test("links lead to the system's browser, and the window stays on its own page", async () => {
    const desktop = await started();
    const window = await windowOf(desktop);
    await window.page.evaluate(() => {
      open("https://www.tensorflow.org/");
      open("file:///etc/passwd");
      location.href = "https://example.org/";
    });
    await expect.poll(() => desktop.openedInBrowser()).toEqual(["https://www.tensorflow.org/"]);
    await window.runButton.click({ trial: true });
  });

  test("closing a window with unsaved edits asks; kept, it stays, and discarded, the program ends", async () => {
    const folder = freshFolder();
    const desktop = await started(folder);
    const window = await windowOf(desktop);
    await window.ready();
    await deleteNode(window, folder, "z");
    await desktop.answerBlockingDialogs(1);
    await desktop.closeWindow();
    await window.node("y").click({ trial: true });
    await desktop.answerBlockingDialogs(0);
    await desktop.closeWindow();
    expect(await desktop.exited).toEqual({ code: 0, signal: null });
    expect(await draftsIn(folder)).toEqual([]);
  });

  test("a program in use goes on in the tray, and asks before it quits", async () => {
    const folder = freshFolder();
    const desktop = await started(folder);
    const window = await windowOf(desktop);
    await window.ready();
    await startLongRun(window);
    await desktop.closeWindow();
    const closing = await desktop.nextDialog();
    expect(closing.options).toMatchObject({
      message: "Tensordeck is in use.",
      buttons: ["Stay in the tray", "End Tensordeck", "Cancel"],
    });
    await closing.answer(0);
    await expect.poll(() => desktop.isShown()).toBe(false);
    expect(labels(await desktop.tray())).toEqual([
      "Open Tensordeck",
      "Running tasks:",
      "worker/0",
      "worker/1",
      "Quit Tensordeck",
    ]);
    await desktop.chooseInTray("Open Tensordeck");
    await expect.poll(() => desktop.isShown()).toBe(true);
    expect(await desktop.tray()).toBeUndefined();

    await desktop.quit();
    await (await desktop.nextDialog()).answer(2);
    await window.node("z").click({ trial: true });
    await desktop.quit();
    await (await desktop.nextDialog()).answer(1);
    expect(await desktop.exited).toEqual({ code: 0, signal: null });
  });

  test("the system ends it without a question, and its edits are offered at the next start", async () => {
    const folder = freshFolder();
    const desktop = await started(folder);
    const window = await windowOf(desktop);
    await window.ready();
    await deleteNode(window, folder, "z");
    desktop.signal("SIGTERM");
    expect(await desktop.exited).toEqual({ code: 0, signal: null });
    const next = await windowOf(await started(folder));
    const offer = next.page.getByRole("region", { name: "Unsaved edits" });
    await offer.getByRole("button", { name: "Restore" }).click();
    await next.node("z").waitFor({ state: "detached" });
    await next.node("y").waitFor();
  });
}
