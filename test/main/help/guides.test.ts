/** Every command that the guides show is run, in their order, and prints what they say. */
import { spawn } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { GUIDES, pathOf, readGuide } from "../../../main/help/guides.js";
import { welcomeGraph } from "../../../worker-runtime/graph/examples/first-graphs.js";
import { taskText, writeGraphFile } from "../../../worker-runtime/index.js";
import { freePort } from "../../support/free-port.js";
import { ownTensorflowPython, peerMissing, repositoryRoot } from "../../support/peers.js";
import { environmentWithoutProxies, spawnPeer } from "../../support/processes.js";

const HELP = join(repositoryRoot, "main", "help");
const PROGRAM = join(repositoryRoot, "build", "bin", "tensordeck.mjs");
const TSX = join(repositoryRoot, "node_modules", "tsx", "dist", "cli.mjs");
/** The programs that guides show and run, relative to the repository. */
const EXAMPLES = "worker-runtime/examples";
/** Reports what it finds wrong with 1, and a guide may show just that. */
const REPORTS = /tensordeck doctor/;

interface Step {
  readonly command: string;
  /** The beginning of the output: lines with … for what varies. */
  readonly output: readonly string[];
}

/** The commands of a guide, in order. */
function stepsOf(text: string): Step[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const [, block = ""] of text.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split("\n")) {
      const command = /^(?:pc|pi)?\$ (.*)$/.exec(line)?.[1];
      if (command !== undefined) steps.push({ command, output: [] });
      else steps.at(-1)?.output.push(line);
    }
  }
  return steps;
}

/** A pattern of output that begins with the lines. */
function beginning(lines: readonly string[]): RegExp {
  const escaped = lines.map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*"));
  return new RegExp(`^${escaped.join("\\n")}`);
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function run(command: string, cwd: string, env = environmentWithoutProxies()): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, errors }));
  });
}

/** The welcome graph as text, on two tasks or with all nodes on the first. */
function welcomeText(tasks: 1 | 2): Uint8Array {
  const metaGraph = welcomeGraph();
  for (const node of metaGraph.graphDef?.node ?? []) {
    if (tasks === 1) node.device = taskText({ job: "worker", index: 0 });
  }
  return writeGraphFile({ kind: "meta_graph", format: "text", metaGraph });
}

const scripts = readdirSync(join(repositoryRoot, EXAMPLES)).filter((file) => /\.(py|ts)$/.test(file));

let folder: string;
/** The environment of the guides' commands: none sees what this account has, or changes it. */
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tensordeck-guides-"));
  writeFileSync(join(folder, "graph.pbtxt"), welcomeText(2));
  writeFileSync(join(folder, "one-task.pbtxt"), welcomeText(1));
  // Python's scripts as in a clone; a run leaves files beside the script that it was given.
  mkdirSync(join(folder, EXAMPLES), { recursive: true });
  for (const file of scripts.filter((name) => name.endsWith(".py"))) {
    copyFileSync(join(repositoryRoot, EXAMPLES, file), join(folder, EXAMPLES, file));
  }
  env = { ...environmentWithoutProxies(), HOME: folder, TENSORDECK_DATA_DIR: join(folder, "data") };
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the list has every guide", () => {
  const folders = readdirSync(HELP, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = GUIDES.filter(({ path }) => path === undefined);
  expect(own.map(({ name }) => name).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("a guide that does not exist is refused", async () => {
  await expect(readGuide("../clusters")).rejects.toThrow("There is no guide ../clusters.");
});

test.each(GUIDES)(
  "$name is what the repository has, and shows no other program than its examples",
  async (guide) => {
    const text = readFileSync(join(repositoryRoot, pathOf(guide)), "utf8");
    expect(await readGuide(guide.name)).toBe(text);
    const programs = scripts.map((file) => readFileSync(join(repositoryRoot, EXAMPLES, file), "utf8"));
    const shown = [...text.matchAll(/```(?:python|ts)\n(.*?)```/gs)].map(([, code = ""]) => code);
    expect(shown.filter((code) => !programs.some((program) => program.includes(code)))).toEqual([]);
  },
);

/** The command as it is run here: with this build, this Node and the test's Python. */
function runnable(command: string): string {
  const python = /\bpython3\b/.test(command) ? ownTensorflowPython() : "";
  return command
    .replace(/^npx tensordeck/, `"${process.execPath}" "${PROGRAM}"`)
    .replace(/^npx tsx (\S+)/, `"${process.execPath}" "${TSX}" "${repositoryRoot}/$1"`)
    .replace(/\bpython3\b/, `"${python}"`);
}

/** A guide's addresses, each with a port of this machine that is free. */
async function addressesHere(text: string): Promise<(line: string) => string> {
  const address = /\b(localhost|192\.168\.1\.20):(\d+)\b/g;
  const ports = new Map<string, number>();
  for (const [, , port = ""] of text.matchAll(address)) {
    if (!ports.has(port)) ports.set(port, await freePort());
  }
  return (line) =>
    line.replace(
      address,
      (_, host: string, port: string) => `${host === "localhost" ? host : "127.0.0.1"}:${ports.get(port)}`,
    );
}

const runGuides = GUIDES.filter(({ group }) => group !== "reference").map(({ name }) => {
  const text = readFileSync(join(HELP, name, "README.md"), "utf8");
  const steps = stepsOf(text);
  const isMissing = steps.some(({ command }) => /\bpython3\b/.test(command)) && peerMissing("tensorflow");
  return { name, text, steps, isMissing };
});

describe.skipIf(process.platform === "win32")("the commands of a guide run", () => {
  describe.each(runGuides)("$name", ({ text, steps, isMissing }) => {
    test.skipIf(isMissing)("in their order", async () => {
      expect(steps.length).toBeGreaterThan(0);
      const here = await addressesHere(text);
      for (const { command, output } of steps) {
        const line = runnable(here(command));
        const expected = beginning(output.map(here));
        if (command.includes("tensordeck worker")) {
          const ready = /^target grpc:\/\/\S+$/m;
          const worker = await spawnPeer("sh", ["-c", `exec ${line}`], { cwd: folder, env, ready });
          onTestFinished(async () => void (await worker.stop()));
          expect(worker.stdout()).toMatch(expected);
          continue;
        }
        const { code, output: printed, errors } = await run(line, folder, env);
        expect(REPORTS.test(command) ? [0, 1] : [0], `${command}: ${errors}`).toContain(code);
        expect(printed, command).toMatch(expected);
      }
    });
  });
});

/** Each line of a document that calls the command. */
function shownCommands(): string[] {
  const documents = readdirSync(repositoryRoot, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.md$/.test(file) && !/(^|[\\/])(node_modules|out|dist|\.\w+)[\\/]/.test(file),
  );
  return documents.flatMap((file) =>
    [
      ...readFileSync(join(repositoryRoot, file), "utf8").matchAll(
        /^(?:\w+\$ |[A-Z_]+='.*' )?npx tensordeck (.*)$/gm,
      ),
    ].map(([, command = ""]) => command.replace(/\s+(#|\|).*$/, "")),
  );
}

test("commands in all documents have flags that exist", async () => {
  const helps = new Map<string, string>();
  const unknown: string[] = [];
  for (const command of new Set(shownCommands())) {
    // "agent trust" has a help of its own.
    const name = /^[a-z-]+(?: (?:trust|link|service|install|list|new-identity)\b)?/.exec(command)?.[0] ?? "";
    if (!helps.has(name)) {
      const { output } = await run(`"${process.execPath}" "${PROGRAM}" ${name} --help`, repositoryRoot);
      helps.set(name, output);
    }
    const help = helps.get(name) ?? "";
    if (help === "") unknown.push(`tensordeck ${name}`);
    for (const [flag] of command.replace(/ -- .*/, "").matchAll(/(?<= )--[a-z_]+/g)) {
      if (!new RegExp(`${flag}\\b`).test(help)) unknown.push(`tensordeck ${name} ${flag}`);
    }
  }
  expect(unknown).toEqual([]);
});
