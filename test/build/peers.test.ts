import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PeerName, repositoryRoot } from "../support/peers.js";

/** The kind of the Python on PATH; see fixtures/fake-python.mjs. */
interface FakePython {
  readonly minor?: number;
  readonly venv?: boolean;
  readonly pip?: string;
}

const FAKE = join(repositoryRoot, "test", "build", "fixtures", "fake-python.mjs");

/** Prints what a run of the set-up for a peer, and then one that only looks, have to say. */
const setUpOf = (peer: PeerName) => `
const { bringPeers, lackLines } = await import("./build/lib/peers/peers.mjs");
await bringPeers(["${peer}"], false);
console.log(lackLines(["${peer}"]).join("\\n"));
`;

let project: string;
let programs: string;

beforeEach(() => {
  // The set-up works on the project that it lies in.
  project = mkdtempSync(join(tmpdir(), "tensordeck-setup-"));
  programs = join(project, "programs");
  mkdirSync(programs);
  cpSync(join(repositoryRoot, "build", "lib"), join(project, "build", "lib"), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function addPython(name: string): void {
  const script = `#!/bin/sh\nexec '${process.execPath}' '${FAKE}' "$0" "$@"\n`;
  writeFileSync(join(programs, name), script, { mode: 0o755 });
}

function run(peer: PeerName, env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, ["--input-type=module", "-e", setUpOf(peer)], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: programs, ...env },
  });
}

function setUp(python: FakePython = {}, env: NodeJS.ProcessEnv = {}) {
  const log = join(project, "log");
  writeFileSync(log, "");
  const { stdout, stderr, status } = run("tensorflow", {
    ...{ FAKE_PYTHON: JSON.stringify(python), FAKE_PYTHON_LOG: log, ...env },
  });
  return { said: stdout.trim(), stderr, status, calls: readFileSync(log, "utf8").trim().split("\n") };
}

describe.skipIf(process.platform === "win32")("the Python of the tests", () => {
  test("is made once, and found at once by the next run", () => {
    addPython("python3");
    const first = setUp();
    expect(first.calls).toEqual([
      "python3 venv --clear",
      expect.stringMatching(/^pip tensorflow(-cpu)?==2\.21\.\*$/),
    ]);
    expect(first.said).toBe("");
    expect(first.stderr).toContain("Making .venv");
    expect(setUp()).toMatchObject({ calls: [""], said: "", stderr: "" });
  });

  test.each([
    ["an empty folder", () => mkdirSync(join(project, ".venv"))],
    [
      "a Python that has gone",
      () => {
        mkdirSync(join(project, ".venv", "bin"), { recursive: true });
        symlinkSync(join(project, "no-such-python"), join(project, ".venv", "bin", "python"));
      },
    ],
    [
      "an environment without pip",
      () => {
        setUp({ pip: "broken off" });
        rmSync(join(project, ".venv", "bin", "pip"));
      },
    ],
  ])("is made anew where .venv is %s", (_name, makeHalf) => {
    addPython("python3");
    makeHalf();
    expect(setUp().calls).toEqual(["python3 venv --clear", expect.stringContaining("pip tensorflow")]);
    expect(setUp().calls).toEqual([""]);
  });

  test("is completed where only TensorFlow is missing", () => {
    addPython("python3");
    setUp({ pip: "ERROR: broken off" });
    expect(setUp().calls).toEqual([expect.stringContaining("pip tensorflow")]);
  });

  test("is that of another version where python3 is too new", () => {
    addPython("python3");
    const { said, calls } = setUp({ minor: 14 });
    expect(calls).toEqual([""]);
    expect(said).toContain("TensorFlow 2.21 needs Python 3.10 to 3.13");
    expect(said).toContain("python3 is Python 3.14");
  });

  test.each([
    ["There is no python3 on PATH", undefined],
    ["python3 has no venv module", { venv: false }],
    ["The disk is full", { pip: "ERROR: Could not install packages: [Errno 28] No space left on device" }],
    [
      "The package index cannot be reached",
      { pip: "WARNING: Retrying after NewConnectionError(…)\nERROR: No matching distribution found" },
    ],
    ["ERROR: something else", { pip: "noise\nERROR: something else" }],
  ])("is named as missing, with the reason: %s", (reason, python?: FakePython) => {
    if (python !== undefined) addPython("python3");
    const { said, status } = setUp(python);
    expect(status).toBe(0);
    expect(said).toContain(
      "This machine does not have what some of the tests need:\n  a Python with TensorFlow: ",
    );
    expect(said).toContain(reason);
    expect(said).toMatch(/\n +(sudo apt-get install|install what Debian has in|npm test)/);
  });

  test("is the one that TENSORDECK_TEST_PYTHON names, or none", () => {
    addPython("mine");
    addPython("python3");
    const named = { TENSORDECK_TEST_PYTHON: join(programs, "mine") };
    const without = setUp({}, named);
    expect(without.status).toBe(1);
    expect(without.stderr).toContain(
      "which cannot be run or has no tensorflow package. Point it at a Python",
    );
    writeFileSync(join(programs, "tensorflow-is-here"), "");
    expect(setUp({}, named)).toMatchObject({ status: 0, said: "", calls: [""] });
  });
});

describe.skipIf(process.platform === "win32")("Firefox", () => {
  const said = (env: NodeJS.ProcessEnv = {}) => run("firefox", env).stdout.trim();

  test("is one on PATH that runs", () => {
    writeFileSync(join(programs, "firefox"), "#!/bin/sh\n", { mode: 0o755 });
    expect(said()).toBe("");
    writeFileSync(join(programs, "firefox"), "#!/bin/sh\nexit 1\n");
    expect(said()).toContain("firefox does not run.\n      FIREFOX_PATH=… npm test");
  });

  test("is missing where there is none, or one of a snap, which sees no folder of a test", () => {
    expect(said()).toMatch(/Firefox: Not installed: firefox\.\n.*\n.*firefox-esr/);
    mkdirSync(join(project, "snap"));
    writeFileSync(join(project, "snap", "firefox"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync(join(project, "snap", "firefox"), join(programs, "firefox"));
    expect(said()).toContain("The Firefox of a snap does not see the folders of the tests.");
  });

  test("is the one that FIREFOX_PATH names, or none", () => {
    writeFileSync(join(programs, "firefox"), "#!/bin/sh\n", { mode: 0o755 });
    expect(said({ FIREFOX_PATH: join(programs, "firefox") })).toBe("");
    expect(said({ FIREFOX_PATH: join(programs, "none") })).toContain("unset FIREFOX_PATH");
  });
});

test("a test file that uses a peer without declaring it fails, also where the peer is there", () => {
  const { stderr, status } = spawnSync(
    process.execPath,
    ["build/test.mjs", "--config", "test/build/fixtures/vitest.config.ts", "undeclared"],
    { cwd: repositoryRoot, encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toContain("without declaring it");
});

test("a run needs the peers that the selected files declare", async () => {
  const { peersNamedIn } = await import("../../build/lib/selected-peers.mjs");
  expect(peersNamedIn('describe.skipIf(peerMissing("tensorflow",\n  "chromium"))("…")')).toEqual([
    "tensorflow",
    "chromium",
  ]);
  expect(peersNamedIn('test("tensorflow", () => hasPeer("ufw"))')).toEqual([]);
});
