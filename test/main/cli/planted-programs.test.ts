/**
 * Nothing that lies in the current folder is run or loaded, whatever PATH says: every command, and the headless host with what
 * its window asks for, in a folder with a planted program of every name. On Windows: test/platforms.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  exerciseCommands,
  exerciseHeadless,
  type PlantedMachine,
} from "../../platforms/planted-programs/exercise.js";
import { PLANTED_MODULES, PLANTED_PROGRAMS } from "../../platforms/planted-programs/names.js";
import { environmentWithoutProxies, repositoryRoot, spawnPeer } from "../../support/peers.js";

const command = join(repositoryRoot, "build/bin/tensordeck.mjs");
const headless = join(repositoryRoot, "build/out/program/headless/main.js");

let root: string;
/** Where each planted program writes its path when it is run. */
let ran: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tensordeck-planted-")));
  ran = join(root, "ran.txt");
  plant(join(root, "documents"));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

/** Fills a folder, and a folder in it that PATH may name as "tools". */
function plant(folder: string): void {
  for (const place of [folder, join(folder, "tools")]) {
    mkdirSync(place, { recursive: true });
    for (const name of PLANTED_PROGRAMS) {
      writeFileSync(join(place, name), `#!/bin/sh\nprintf '%s\\n' "$0" >> '${ran}'\nexit 1\n`);
      chmodSync(join(place, name), 0o755);
    }
  }
  for (const name of PLANTED_MODULES) {
    writeFileSync(join(folder, `${name}.py`), `open(${JSON.stringify(ran)}, "a").write(__file__ + "\\n")\n`);
  }
  // An empty file is no library, which the loader says with its path.
  writeFileSync(join(folder, "libvulkan.so.1"), "");
  const libraries = join(folder, "node_modules", "@tensorflow", "tfjs-node");
  mkdirSync(join(libraries, "deps", "lib"), { recursive: true });
  writeFileSync(join(libraries, "package.json"), "{}");
  writeFileSync(join(libraries, "deps", "lib", "libtensorflow.so.2"), "");
  writeFileSync(join(libraries, "deps", "lib", "libtensorflow.2.dylib"), "");
}

/** @param path entries of PATH before the system's. */
function plantedMachine(path: readonly string[]): PlantedMachine {
  const { VIRTUAL_ENV: _v, CONDA_PREFIX: _c, ...inherited } = environmentWithoutProxies();
  const start = (file: string): PlantedMachine["headless"] => {
    return (args, { ready, env } = {}) =>
      spawnPeer(process.execPath, [file, ...args], {
        cwd: join(root, "documents"),
        env: {
          ...inherited,
          TENSORDECK_DATA_DIR: join(root, "data"),
          TENSORDECK_NETWORK: "loopback",
          PATH: [...path, inherited.PATH].join(":"),
          ...env,
        },
        ...(ready !== undefined && { ready }),
      });
  };
  return {
    tensordeck: start(command),
    headless: start(headless),
    write: (name, text) => {
      const file = join(root, "work", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
  };
}

const planted = () => (existsSync(ran) ? [...new Set(readFileSync(ran, "utf8").trim().split("\n"))] : []);

describe.skipIf(process.platform === "win32")("with PATH entries that mean the current folder", () => {
  const machine = () => plantedMachine(["", ".", "tools"]);

  test("no command runs what lies there", async () => {
    const { commands, output } = await exerciseCommands(machine());
    expect(planted()).toEqual([]);
    // The output names each library that is loaded or only considered.
    expect(output).not.toContain(join(root, "documents"));
    expect(output).not.toContain("file too short");
    const all = [...(await commandNames())];
    expect([...commands].sort()).toEqual(all.sort());
  });

  test("the headless host runs nothing that lies there", async () => {
    await exerciseHeadless(machine());
    expect(planted()).toEqual([]);
  });

  test("they are run where PATH names their folder in full", async () => {
    await (await plantedMachine([join(root, "documents")]).tensordeck(["runtime", "list"])).exited;
    expect(planted()).toContain(join(root, "documents", "python3"));
  });
});

/** All commands, as the help lists them. */
async function commandNames(): Promise<Set<string>> {
  const help = await plantedMachine([]).tensordeck(["help"]);
  await help.exited;
  const [, listed = ""] = /\ncommands:\n([\s\S]*?)\n\n/.exec(help.output()) ?? [];
  return new Set(["help", ...[...listed.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name)]);
}

/** The names of programs in calls that start or find one, and in the tables that these take them from. */
const NAMES_IN_CALLS = /\b(?:runProgram|findProgram|outputOf)\(\s*"([\w.-]+)"/g;
/** `run` is `runProgram` with more, or a stand-in of a test. */
const NAMES_IN_RUN_CALLS = /\brun\(\s*"(\w[\w.-]*)"/g;
const NAMES_IN_TABLES = /\b(?:program|command): "([\w.-]+)"|^const [A-Z_]+_COMMAND = \[\s*"([\w.-]+)"/gm;

test("a program of every name that is started was planted", () => {
  const found = new Set<string>();
  for (const folder of ["main", "worker-runtime"]) {
    for (const file of readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const source = readFileSync(join(repositoryRoot, folder, file), "utf8");
      const startsPrograms = /programs\/(?:find|run)-program\.js/.test(source);
      const patterns = [
        NAMES_IN_CALLS,
        ...(startsPrograms || file.includes("firewall") ? [NAMES_IN_RUN_CALLS] : []),
        ...(startsPrograms ? [NAMES_IN_TABLES] : []),
      ];
      for (const [, call, table] of patterns.flatMap((pattern) => [...source.matchAll(pattern)])) {
        found.add(call ?? table ?? "");
      }
    }
  }
  for (const name of ["nvidia-smi", "taskkill", "ping", "python3", "py", "uv", "nft", "ufw"]) {
    expect(found).toContain(name);
  }
  expect([...found].filter((name) => !PLANTED_PROGRAMS.includes(name))).toEqual([]);
});
