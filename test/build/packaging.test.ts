/** The configuration of the desktop packages and of the programs in them; desktop-package.test.ts reads what it makes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { OPENED_EXTENSIONS } from "../../main/api/document-extensions.js";
import { SERVICE_TYPE } from "../../main/peers/discovery/records.js";
import { repositoryRoot } from "../support/peers.js";

interface FileAssociation {
  readonly ext: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly rank: string;
}
interface BuilderConfiguration {
  readonly productName: string;
  readonly toolsets: { readonly appimage: string };
  readonly fileAssociations?: unknown;
  readonly protocols: readonly { readonly schemes: readonly string[] }[];
  readonly extraMetadata: { readonly homepage: string };
  readonly linux: {
    readonly target: unknown;
    readonly maintainer: string;
    readonly executableArgs?: readonly string[];
    readonly fileAssociations: readonly FileAssociation[];
  };
  readonly mac: {
    readonly fileAssociations: readonly FileAssociation[];
    readonly target: unknown;
    readonly entitlements: string;
    readonly entitlementsInherit: string;
    readonly extendInfo: Readonly<Record<string, unknown>>;
  };
  readonly win: { readonly target: unknown; readonly fileAssociations?: unknown };
  readonly nsis: { readonly include: string } & Readonly<Record<string, unknown>>;
  readonly deb: { readonly afterRemove: string; readonly fpm: readonly string[] };
  readonly rpm: { readonly afterRemove: string; readonly fpm: readonly string[] };
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
  // Without these, it makes neither deb nor rpm.
  expect(configuration.extraMetadata.homepage).toMatch(/^https:\/\//);
  expect(configuration.linux.maintainer).toMatch(/^\S.* <\S+@\S+>$/);
});

test("deb and rpm bring the library that the packaged Node needs beyond what Electron does", () => {
  expect(configuration.deb.fpm).toEqual(["--depends=libatomic1"]);
  expect(configuration.rpm.fpm).toContain("--depends=libatomic");
});

test("a removed rpm takes its folders along, which fpm would leave", () => {
  expect(configuration.rpm.fpm).toContain(`--directories=/opt/${configuration.productName}`);
});

test("an AppImage needs no libfuse2, and its menu entry does not end Chromium's sandbox", () => {
  // "0.0.0", the default, does both.
  expect(configuration.toolsets.appimage).toMatch(/^[1-9]/);
  expect(configuration.linux.executableArgs ?? []).not.toContain("--no-sandbox");
});

test("each document has a kind of its own on Linux, and takes none of another one's files", () => {
  const kinds = configuration.linux.fileAssociations.map(({ mimeType }) => mimeType);
  expect(new Set(kinds).size).toBe(kinds.length);
  const described = configuration.linux.fileAssociations.filter(
    ({ description }) => description !== undefined,
  );
  for (const { name, description } of described) expect(description).toBe(name);
  // Linux knows this kind, with its name.
  const known = configuration.linux.fileAssociations.filter(({ description }) => description === undefined);
  expect(known.map(({ ext, mimeType }) => [ext, mimeType])).toEqual([["h5", "application/x-hdf"]]);
});

test("the system offers Tensordeck for every document that its window opens", () => {
  const { fileAssociations } = configuration.linux;
  expect(configuration.mac.fileAssociations).toEqual(fileAssociations);
  const offered = fileAssociations.map(({ ext }) => ext);
  // ".hdf5" is the same as ".h5", and is rarely a model.
  expect(offered.sort()).toEqual(OPENED_EXTENSIONS.filter((one) => one !== "hdf5").sort());
  expect(fileAssociations.filter(({ rank }) => rank === "Default").map(({ ext }) => ext)).toEqual(["pbtxt"]);
  for (const { mimeType } of fileAssociations) expect(mimeType).toMatch(/^\w+\/[\w-]+$/);
  expect(configuration.protocols.flatMap(({ schemes }) => schemes)).toEqual(["tensordeck"]);
});

test("the uninstaller for Windows deletes a key of others' extensions only if it has neither keys nor values", () => {
  // Before NSIS 3.6, and electron-builder has 3.4, /ifempty alone deletes keys with values.
  const script = textOf(configuration.nsis.include);
  const checked = /!macro tensordeckDeleteEmpty KEY\n([^!]*)!macroend/.exec(script)?.[1] ?? "";
  expect(checked).toMatch(
    /EnumRegKey[\s\S]*EnumRegValue[\s\S]*\$\{if\} \$\{errors\}\s+DeleteRegKey \/ifempty/,
  );
  expect(script.match(/DeleteRegKey \/ifempty/g)).toHaveLength(1);
});

test("on Windows the same documents are offered by classes of Tensordeck's own, and nothing is taken over", () => {
  // Names in that place are written as the default of each extension.
  expect(configuration.fileAssociations).toBeUndefined();
  expect(configuration.win.fileAssociations).toBeUndefined();
  const script = textOf(configuration.nsis.include);
  const documents = [...script.matchAll(/!insertmacro \$\{ACTION\} (\w+) (\S+) "([^"]+)"/g)];
  expect(documents.map(([, ext, , name]) => ({ ext, name }))).toEqual(
    configuration.linux.fileAssociations.map(({ ext, name }) => ({ ext, name })),
  );
  const classes = documents.map(([, , name]) => name);
  for (const name of classes) expect(name).toMatch(/^Tensordeck\.\w+$/);
  expect(new Set(classes).size).toBe(documents.length);
  for (const [, key] of script.matchAll(/WriteReg\w+ \S+ "([^"]+)"/g)) {
    expect(key).toMatch(/^Software\\Classes\\(?:\.\$\{EXT\}\\OpenWithProgids$|\$\{CLASS\})/);
  }
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
  const removed = script.indexOf('RMDir /r "$LOCALAPPDATA\\Tensordeck"');
  expect(script.lastIndexOf("MessageBox MB_YESNO", removed)).toBeGreaterThan(0);
  // electron-builder's copy of the installer, which no account needs.
  expect(script).toMatch(/RMDir \/r "\$LOCALAPPDATA\\\$\{APP_PACKAGE_NAME\}-updater"/);
  // Without a window the answer is no, and an update asks nothing.
  expect(script.match(/MessageBox MB_YESNO/g)).toHaveLength(script.match(/\/SD IDNO IDNO /g)?.length ?? 0);
  expect(script).toMatch(/\$\{ifNot\} \$\{isUpdated\}\s+\$\{andIfNot\} \$\{Silent\}/);
});

describe.skipIf(process.platform !== "linux")("what deb and rpm run after their removal", () => {
  /** Programs that a system may have, and that would change it: they only say here that they were called. */
  const STAND_INS = {
    ...{ "update-alternatives": "", systemctl: "", apparmor_status: "exit 1" },
    ...{ "update-mime-database": "", "update-desktop-database": "" },
  };

  /** The script as electron-builder fills it in, run in a folder where `/etc` and the programs that it calls are ours. */
  function afterRemoval(argument: string, programs: Readonly<Record<string, string>> = {}, unit?: string) {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-removal-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const called = join(folder, "called");
    const stub = (body: string) => `#!/bin/bash\necho "$(basename "$0") $*" >> '${called}'\n${body}\n`;
    for (const [name, body] of Object.entries({ ...STAND_INS, ...programs })) {
      writeFileSync(join(folder, name), stub(body), { mode: 0o755 });
    }
    const unitFile = join(folder, "tensordeck.service");
    if (unit !== undefined) writeFileSync(unitFile, unit);
    const { deb, rpm } = configuration;
    expect(deb.afterRemove).toBe(rpm.afterRemove);
    const script = textOf(deb.afterRemove)
      .replace(/\$\{(executable|sanitizedProductName)\}/g, (_, name) =>
        name === "executable" ? "tensordeck" : "Tensordeck",
      )
      .replace("/etc/systemd/system/tensordeck.service", unitFile);
    expect(script).not.toMatch(/\$\{/);
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["--norc", "-c", script, "postrm", argument], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
      // From a socket, bash would read the files of a login over the network.
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
    const calls = existsSync(called) ? readFileSync(called, "utf8").trim().split("\n") : [];
    return { status, stdout, stderr, calls };
  }

  test.each(["upgrade", "1"])("an upgrade (%s) changes and says nothing", (argument) => {
    expect(afterRemoval(argument)).toEqual({ status: 0, stdout: "", stderr: "", calls: [] });
  });

  test.each(["remove", "0"])("a removal (%s) says what each account keeps", (argument) => {
    const { status, stdout, stderr, calls } = afterRemoval(argument);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(calls).toEqual([
      "update-alternatives --remove tensordeck /opt/Tensordeck/tensordeck",
      "update-mime-database /usr/share/mime",
      "update-desktop-database /usr/share/applications",
    ]);
    expect(stdout).toMatch(/^Each account .* in ~\/\.local\/share\/tensordeck\./m);
  });

  test("a service whose program is gone is stopped, and its file is named; another's is left alone", () => {
    const own = afterRemoval("remove", {}, "ExecStart=/opt/Tensordeck/resources/node/bin/node …");
    expect(own.calls).toContain("systemctl disable --now tensordeck");
    expect(own.stdout).toMatch(
      /^Tensordeck's service was stopped\. Remove it with: rm \S+tensordeck\.service$/m,
    );
    const other = afterRemoval("remove", {}, "ExecStart=/usr/bin/node /home/me/tensordeck/…");
    expect(other.calls.filter((call) => call.startsWith("systemctl"))).toEqual([]);
  });

  test.each([
    ["ufw", "2220/tcp ALLOW 10.0.0.0/8 # Tensordeck agent 0123456789abcdef", /ufw delete NUMBER/],
    [
      "firewall-cmd",
      'rule priority="-32000" family="ipv4" source address="10.0.0.0/8" port port="2220" protocol="tcp" accept',
      /--remove-rich-rule='RULE'/,
    ],
    ["nft", 'tcp dport 2220 accept comment "Tensordeck agent 0123456789abcdef"', /nft delete rule/],
    ["iptables", '-A INPUT -m comment --comment "Tensordeck agent 0123" -j ACCEPT', /-D in place of -A/],
  ])("rules that remain in %s are told of, with the command that removes them", (tool, rule, command) => {
    const none = { ufw: "", "firewall-cmd": "", nft: "", iptables: "" };
    expect(afterRemoval("remove", none).stdout).not.toMatch(/rules/i);
    expect(afterRemoval("remove", { ...none, [tool]: `echo '    ${rule}'` }).stdout).toMatch(command);
  });
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
