/** Everything that has to work once a package is installed: its Node, its command's engines, its window and its documents. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Engine } from "../../../main/api/cluster.js";
import { StandInDesktop } from "../../e2e/desktop/stand-in/stand-in-desktop.js";
import { closeBrowser } from "../../e2e/support/shared-browser.js";
import { WindowPage } from "../../e2e/support/window-page.js";
import type { Check } from "../check.js";
import { FOLDER, GRAPH } from "../hand-made-graph.js";
import { CALLS_C_LIBRARY, loadNativeModules } from "../native-modules.js";
import { useWorker } from "../stock/stock-clients.js";
import { type DebianMachine, TENSORFLOW } from "./debian-machine.js";

export interface InstalledPackage {
  readonly machine: DebianMachine;
  /** The folder with the archive, and what a plain Node runs. */
  readonly resources: string;
  /** The command that a menu or a terminal starts, with its first arguments. */
  readonly program: readonly [string, ...string[]];
}

/** The account's own. */
export const HOME = "/trial/Zoë";
export const DATA = `${HOME}/data`;
/** This only ends what hangs. */
const HANGING_MILLIS = 180_000;
const ENVIRONMENT = { HOME, TENSORDECK_DATA_DIR: DATA };

const nodeOf = ({ resources }: InstalledPackage) => `${resources}/node/bin/node`;
const commandOf = ({ resources }: InstalledPackage) =>
  `${resources}/app.asar.unpacked/build/bin/tensordeck.mjs`;

/** The checks of what a package brings along, whichever it is. */
export function contentChecks(kind: string, installed: InstalledPackage): readonly Check[] {
  const options = { cwd: `${installed.resources}/app.asar.unpacked` };
  return [
    {
      name: `${kind}: its Node loads koffi and ONNX Runtime, by require and import`,
      run: () =>
        loadNativeModules(["koffi", "onnxruntime-node"], CALLS_C_LIBRARY, (args) =>
          installed.machine.run(nodeOf(installed), args, options),
        ),
    },
    {
      name: `${kind}: runtime list finds a TensorFlow, and a stock client uses a worker of each engine`,
      run: () => computesForClients(installed),
    },
  ];
}

/** The packaged command finds a TensorFlow, and is a worker of each engine for a stock client. */
async function computesForClients(installed: InstalledPackage): Promise<void> {
  const { machine } = installed;
  const command = [commandOf(installed)];
  const fresh = await machine.succeed(nodeOf(installed), [...command, "runtime", "list"], {
    env: ENVIRONMENT,
  });
  assert.match(fresh, /^No libtensorflow was found\. Install one/m);
  const given = { ...ENVIRONMENT, TENSORDECK_LIBTENSORFLOW: TENSORFLOW };
  const list = await machine.succeed(nodeOf(installed), [...command, "runtime", "list"], { env: given });
  assert.match(list, /^\* TensorFlow 2\.\d+\.\d+ /m);
  const workers = {
    file: (path: string) => machine.file(path),
    tensordeck: (args: readonly string[], options: { readonly ready: RegExp }) =>
      machine.start(nodeOf(installed), [...command, ...args], { ...options, env: given }),
  };
  const compute = (engine: Engine) => useWorker(workers, engine);
  await compute("portable");
  await compute("tensorflow");
}

/**
 * The program starts, opens its window, and runs the first graph on two tasks of its own.
 *
 * @param again Also has it open a document that a second start names.
 */
export async function opensItsWindow(
  { machine, program: [command, ...first] }: InstalledPackage,
  { again = true } = {},
): Promise<void> {
  // A program that was killed has left its lock.
  machine.empty(HOME);
  mkdirSync(machine.file(DATA));
  const settings = { tourSeen: true, runtimeBannerDismissed: true };
  writeFileSync(machine.file(`${DATA}/settings.json`), JSON.stringify(settings));
  mkdirSync(machine.file(FOLDER), { recursive: true });
  const document = `${FOLDER}/x.pbtxt`;
  writeFileSync(machine.file(document), GRAPH);
  const env = {
    ...ENVIRONMENT,
    TENSORDECK_NETWORK: "off",
    TENSORDECK_LIBTENSORFLOW: "",
    STAND_IN_LOCK: `${HOME}/instance-lock`,
  };
  const desktop = await StandInDesktop.start({
    folder: machine.file(HOME),
    installed: {
      file: (path) => machine.file(path),
      start: (args) => machine.start(command, [...first, ...args], { env, channel: true }),
    },
  });
  try {
    const window = WindowPage.of(await desktop.page());
    window.page.setDefaultTimeout(HANGING_MILLIS);
    await window.ready();
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    if (again) {
      assert.deepEqual(await desktop.startAgain(document), { code: 0, signal: null });
      await window.node("x").waitFor();
    }
    assert.deepEqual(window.errors, []);
    await desktop.quit();
    const asked = await Promise.race([desktop.nextDialog(), desktop.exited]);
    if ("answer" in asked) await asked.answer(1);
    assert.deepEqual(await desktop.exited, { code: 0, signal: null });
  } catch (error) {
    throw new Error(`${error instanceof Error ? (error.stack ?? "") : String(error)}\n${desktop.output()}`);
  } finally {
    await desktop.dispose();
    await closeBrowser();
  }
}

/** The menu's entry and the kinds of documents are valid, and documents have these kinds. */
export async function offersDocuments(machine: DebianMachine, desktopFile: string): Promise<void> {
  assert.equal(await machine.succeed("desktop-file-validate", ["--warn-kde", desktopFile]), "");
  const entry = await machine.succeed("cat", [desktopFile]);
  assert.doesNotMatch(entry, /--no-sandbox/);
  const read = await machine.succeed("update-mime-database", ["-V", "/usr/share/mime"]);
  assert.doesNotMatch(read, /error|warning|unknown|invalid/i, read);
  const globs = readFileSync(machine.file("/usr/share/mime/globs2"), "utf8").split("\n");
  for (const [extension, kind] of Object.entries(KINDS)) {
    assert.match(entry, new RegExp(`^MimeType=(.*;)?${kind};`, "m"));
    // Another kind of the same extension would contend with it.
    const kinds = new Set(
      globs.filter((line) => line.endsWith(`:*.${extension}`)).map((line) => line.split(":")[1]),
    );
    assert.deepEqual([...kinds], [kind], extension);
    assert.match(readFileSync(machine.file(`/usr/share/mime/${kind}.xml`), "utf8"), /<comment>/);
  }
}

const KINDS: Readonly<Record<string, string>> = {
  pbtxt: "text/x-tensorflow-graph",
  pb: "application/x-tensorflow-graph",
  meta: "application/x-tensorflow-checkpoint-graph",
  keras: "application/x-keras-model",
  h5: "application/x-hdf",
  onnx: "application/x-onnx-model",
};
