/** The configuration of the desktop packages and of the programs in them; desktop-package.test.ts reads what it makes. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { OPENED_EXTENSIONS } from "../../main/api/document-extensions.js";
import { SERVICE_TYPE } from "../../main/peers/discovery/records.js";
import { repositoryRoot } from "../support/peers.js";

interface FileAssociation {
  readonly ext: string;
  readonly mimeType: string;
  readonly rank: string;
}
interface BuilderConfiguration {
  readonly fileAssociations: readonly FileAssociation[];
  readonly protocols: readonly { readonly schemes: readonly string[] }[];
  readonly linux: { readonly target: unknown };
  readonly mac: {
    readonly target: unknown;
    readonly entitlements: string;
    readonly entitlementsInherit: string;
    readonly extendInfo: Readonly<Record<string, unknown>>;
  };
  readonly win: { readonly target: unknown };
  readonly nsis: { readonly include: string } & Readonly<Record<string, unknown>>;
  readonly publish?: unknown;
}
/** The part of electron-builder's own library that reads and checks its configuration; it comes without such types. */
interface ConfigLibrary {
  getConfig(folder: string, file: null, overrides: null, metadata: unknown): Promise<BuilderConfiguration>;
  validateConfiguration(configuration: BuilderConfiguration, log: unknown): Promise<void>;
}

const require = createRequire(join(repositoryRoot, "package.json"));

async function readConfiguration(): Promise<BuilderConfiguration> {
  const library = require("app-builder-lib/out/util/config/config.js") as ConfigLibrary;
  const { DebugLogger } = require("builder-util") as { DebugLogger: new (enabled: boolean) => unknown };
  const { Lazy } = require("lazy-val") as { Lazy: new (create: () => Promise<unknown>) => unknown };
  const metadata = new Lazy(async () => require("./package.json") as unknown);
  const configuration = await library.getConfig(repositoryRoot, null, null, metadata);
  await library.validateConfiguration(configuration, new DebugLogger(false));
  return configuration;
}

const configuration = await readConfiguration();
const textOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8");

test("electron-builder accepts its configuration: installers for the three systems, and no feed of updates", () => {
  expect(configuration.linux.target).toEqual(["AppImage", "deb", "rpm"]);
  expect(configuration.mac.target).toEqual(["dmg", "zip"]);
  expect(configuration.win.target).toEqual(["nsis"]);
  expect(configuration.publish).toBeUndefined();
});

test("the system offers Tensordeck for every document that its window opens", () => {
  const offered = configuration.fileAssociations.map(({ ext }) => ext);
  // ".hdf5" is the same as ".h5", and is rarely a model.
  expect(offered.sort()).toEqual(OPENED_EXTENSIONS.filter((one) => one !== "hdf5").sort());
  expect(
    configuration.fileAssociations.filter(({ rank }) => rank === "Default").map(({ ext }) => ext),
  ).toEqual(["pbtxt"]);
  for (const { mimeType } of configuration.fileAssociations) expect(mimeType).toMatch(/^\w+\/[\w-]+$/);
  expect(configuration.protocols.flatMap(({ schemes }) => schemes)).toEqual(["tensordeck"]);
});

test("macOS is told why the network is used and what is looked for there, and the rights of each program", () => {
  const { extendInfo, entitlements, entitlementsInherit } = configuration.mac;
  expect(extendInfo.NSLocalNetworkUsageDescription).toMatch(/^Tensordeck finds .*\.$/);
  expect(extendInfo.NSBonjourServices).toEqual([SERVICE_TYPE.replace(/\.local$/, "")]);
  const rightsOf = (path: string) => [...textOf(path).matchAll(/<key>([^<]+)<\/key>/g)].map(([, key]) => key);
  expect(rightsOf(entitlements)).toEqual(["com.apple.security.cs.allow-jit"]);
  expect(rightsOf(entitlementsInherit)).toEqual([
    "com.apple.security.cs.allow-jit",
    "com.apple.security.cs.disable-library-validation",
  ]);
});

test("Windows installs for the account alone, and asks before it removes rules, task and data", () => {
  expect(configuration.nsis).toMatchObject({
    perMachine: false,
    allowElevation: false,
    deleteAppDataOnUninstall: false,
  });
  const script = textOf(configuration.nsis.include);
  // Their names as the wizard and the agent make them.
  expect(textOf("main/network/firewall/windows/rule-script.ts")).toContain("-Group 'Tensordeck'");
  expect(script).toContain("Remove-NetFirewallRule -Group Tensordeck ");
  expect(textOf("main/cli/scheduled-task.ts")).toContain('const TASK = "Tensordeck"');
  expect(script).toContain("Unregister-ScheduledTask -TaskName Tensordeck ");
  const removed = script.indexOf("RMDir");
  expect(script.lastIndexOf("MessageBox MB_YESNO", removed)).toBeGreaterThan(0);
  // Without a window the answer is no, and an update asks nothing.
  expect(script.match(/MessageBox /g)).toHaveLength(script.match(/\/SD IDNO IDNO /g)?.length ?? 0);
  expect(script).toMatch(/\$\{ifNot\} \$\{isUpdated\}\s+\$\{andIfNot\} \$\{Silent\}/);
});

test("every module that runs as a thread or process of its own is built as a program", () => {
  const named = ["main", "worker-runtime"].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...textOf(join(folder, file)).matchAll(/compiledModule\("([^"]+)"\)/g)])
      .map(([, module = ""]) => basename(module)),
  );
  const built = readdirSync(join(repositoryRoot, "build/out/program/threads"));
  expect(built.sort()).toEqual([...new Set(named)].sort());
  expect(built.length).toBeGreaterThan(5);
});
