/** The window as a user sees it: what can be clicked and what can be read, by the names that it shows. */
import type { Browser, BrowserContextOptions, ConsoleMessage, Locator, Page } from "playwright-core";
import { withDeadline } from "../../support/deadline.js";

/** Has the browser report what the page's content security policy prevents as an error in its console. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  console.error("The page's policy prevents " + effectiveDirective + " " + blockedURI));`;

/** Large enough to show a small graph, the inspector and both panels. */
const VIEWPORT = { width: 1440, height: 900 };

export class WindowPage {
  /** Console errors, uncaught errors and violations of its policy in the page; a test that expects one removes it. */
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {
    // A click may start and run servers, which takes many times as long on a busy machine as on an idle one.
    page.setDefaultTimeout(60_000);
    page.on("console", (message: ConsoleMessage) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("pageerror", (error) => this.errors.push(String(error)));
  }

  /**
   * A fresh browser profile with one tab at the address. Motion is reduced, so there are no animations to wait for.
   *
   * @param prepare Called with the empty tab.
   */
  static async open(
    browser: Browser,
    address: string,
    options: BrowserContextOptions = {},
    prepare?: (page: Page) => Promise<void>,
  ): Promise<WindowPage> {
    const context = await withDeadline(
      "A browser profile",
      browser.newContext({
        viewport: VIEWPORT,
        colorScheme: "dark",
        reducedMotion: "reduce",
        ...options,
      }),
    );
    const window = new WindowPage(await withDeadline("A tab", context.newPage()));
    await window.page.addInitScript(REPORT_VIOLATIONS);
    await prepare?.(window.page);
    await window.page.goto(address);
    return window;
  }

  /** A window that another program has opened. */
  static of(page: Page): WindowPage {
    return new WindowPage(page);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  get canvas(): Locator {
    return this.page.locator("[data-canvas]");
  }

  get nodes(): Locator {
    return this.page.locator(".react-flow__node");
  }

  node(name: string): Locator {
    return this.page.locator(`.react-flow__node[data-id="${name}"]`);
  }

  /** The value that a node shows. */
  value(name: string): Locator {
    return this.node(name).locator("[data-node-value]");
  }

  /** The task that a node is pinned to. */
  chip(name: string): Locator {
    return this.node(name).locator("[data-node-place]");
  }

  /** Where a node ran, from the trace. */
  ranOn(name: string): Locator {
    return this.node(name).locator("[data-node-device]");
  }

  port(node: string, id: string): Locator {
    return this.node(node).locator(`[data-port][data-handleid="${id}"]`);
  }

  /** The row of a task in the cluster panel, by "worker/0". */
  task(name: string): Locator {
    return this.page.getByRole("tree", { name: "Cluster" }).getByRole("treeitem", {
      name: new RegExp(`^${name},`),
    });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name });
  }

  /** "Results", "Timeline", "Logs", "Problems". */
  dockTab(name: string): Locator {
    return this.page
      .getByRole("tablist", { name: "Dock" })
      .getByRole("tab", { name: new RegExp(`^${name}`) });
  }

  get runButton(): Locator {
    return this.page.getByRole("button", { name: "Run", exact: true });
  }

  get alerts(): Locator {
    return this.page.getByRole("alert");
  }

  get inspector(): Locator {
    return this.page.getByRole("complementary", { name: "Inspector" });
  }

  get device(): Locator {
    return this.inspector.getByLabel("Device", { exact: true });
  }

  /** The window shows the graph and knows the engine's ops. */
  async ready(): Promise<void> {
    await this.node("z").waitFor();
    await this.runButton.waitFor();
  }

  /** One click, then waits until both workers run. */
  async startTwoWorkers(): Promise<void> {
    await this.button("Start 2 workers").click();
    await this.task("worker/0")
      .and(this.page.getByRole("treeitem", { name: /, running,/ }))
      .waitFor();
    await this.task("worker/1")
      .and(this.page.getByRole("treeitem", { name: /, running,/ }))
      .waitFor();
  }

  async select(node: string): Promise<void> {
    await this.node(node).locator("[data-node-head]").click();
    await this.inspector.getByText(node, { exact: true }).first().waitFor();
  }

  /** Drags whatever is in the middle of one element to the middle of another. */
  async drag(from: Locator, to: Locator, beforeLettingGo?: () => Promise<void>): Promise<void> {
    const start = await from.boundingBox();
    const end = await to.boundingBox();
    if (start === null || end === null)
      throw new Error("What is to be dragged, or its target, is not in view.");
    const { mouse } = this.page;
    await mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await mouse.down();
    // A drag begins only after some pixels of movement.
    await mouse.move(start.x + start.width / 2 + 12, start.y + start.height / 2 + 12, { steps: 4 });
    await mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 8 });
    await beforeLettingGo?.();
    await mouse.up();
  }

  /** Drags an element onto the canvas, to a position given as fractions of its width and height. */
  async dragToCanvas(from: Locator, x: number, y: number): Promise<void> {
    await from.waitFor();
    const start = await from.boundingBox();
    const canvas = await this.canvas.boundingBox();
    if (start === null || canvas === null) throw new Error("What is to be dragged is not in view.");
    const { mouse } = this.page;
    await mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await mouse.down();
    await mouse.move(canvas.x + canvas.width * x, canvas.y + canvas.height * y, { steps: 8 });
    await mouse.up();
  }

  /** Runs one step and waits for its value at a node; a value computed before an edit does not count. */
  async runAndSee(node: string, value: string): Promise<void> {
    await this.runButton.click();
    await this.node(node).locator("[data-node-value=result]").getByText(value, { exact: true }).waitFor();
  }

  /** Deletes a node and waits until it is gone. */
  async deleteNode(name: string): Promise<void> {
    await this.select(name);
    await this.press("Delete");
    await this.node(name).waitFor({ state: "detached" });
  }

  /** Starts a run that does not end by itself during a test, and waits until its steps run. */
  async startLongRun(): Promise<void> {
    await this.startSteps(1_000_000);
    await this.firstStep();
  }

  /** Starts a run of so many steps. */
  async startSteps(count: number): Promise<void> {
    await this.button("Number of steps").click();
    await this.page.getByRole("menuitem", { name: "Another number…" }).click();
    await this.page.getByRole("dialog").getByRole("textbox").fill(String(count));
    await this.press("Enter");
  }

  /** Waits until a run of many steps has finished its preparation: it can then be stopped, or fail at a step. */
  async firstStep(): Promise<void> {
    await this.page
      .getByRole("progressbar", { name: "Run" })
      .getByText(/^step [1-9]/)
      .first()
      .waitFor();
  }

  /**
   * Waits until all steps of a run of the document are done, by its row in the list of runs. A training takes as long as
   * the machine needs, so only the test's own limit ends the wait.
   */
  async runDone(run: number, steps: number): Promise<void> {
    await this.page
      .getByRole("row", { name: new RegExp(`^run ${run} .*done ${steps}`) })
      .first()
      .waitFor({ timeout: 0 });
  }

  get undoButton(): Locator {
    return this.button(/^Undo/);
  }

  get redoButton(): Locator {
    return this.button(/^Redo/);
  }

  /** Saves under a name in the folder that the dialog opens. */
  async saveAs(name: string): Promise<void> {
    await this.press("Control+Shift+s");
    const dialog = this.page.getByRole("dialog", { name: "Save the graph" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await this.page.getByRole("contentinfo").getByText("Saved", { exact: true }).waitFor();
  }

  /** Opens a file, or the folder of a SavedModel, in the folder that the dialog opens. */
  async openFile(name: string): Promise<void> {
    await this.press("Control+o");
    const dialog = this.page.getByRole("dialog", { name: "Open a graph" });
    await dialog.getByRole("option", { name }).click();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  /** Closes the document, which has no unsaved edits and is the only one, so that its file can be read anew. */
  async closeDocument(): Promise<void> {
    await this.canvas.focus();
    await this.press("Control+w");
    await this.canvas.getByText("0 nodes").waitFor();
  }

  async press(keys: string): Promise<void> {
    await this.page.keyboard.press(keys);
  }

  /** Chooses from the main menu: menu("Open example", "Sum"). The last entry is executed. */
  async menu(...path: readonly string[]): Promise<void> {
    await this.page.getByRole("button", { name: "Menu", exact: true }).click();
    for (const name of path) {
      await this.page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();
    }
  }

  /** Opens the dialog that runs a script, for a file in a folder of the one that is offered. @returns the dialog */
  async chooseScript(folder: string, file: string): Promise<Locator> {
    await this.menu("Run a script");
    const files = this.page.getByRole("dialog", { name: "Choose a Python script" });
    await files.getByRole("option", { name: folder }).dblclick();
    await files.getByRole("option", { name: file }).click();
    await files.getByRole("button", { name: "Open", exact: true }).click();
    return this.page.getByRole("dialog", { name: "Run a script" });
  }

  /** The digits that this window shows while the machine of that name pairs with its own. */
  async pairingCode(machine: string): Promise<string> {
    const shown = this.page.getByRole("dialog", { name: `${machine} wants to pair` });
    const code = await shown.getByRole("img", { name: /^[\d ]+$/ }).getAttribute("aria-label");
    return code?.replace(/\D/g, "") ?? "";
  }
}
