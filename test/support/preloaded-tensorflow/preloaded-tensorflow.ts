/**
 * Importing TensorFlow takes a Python four seconds of a processor's time, and a complete run of the tests starts hundreds.
 * On Linux they are forks of one process that has imported it: `tensorflowPython()` names a program that takes the
 * arguments of Python, has that process fork, and hands its streams, signals and exit code on.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { findTensorflow } from "../../../build/lib/peers/peers.mjs";

/** Names the program for `tensorflowPython()`, in the environment of the processes that run tests. */
const VARIABLE = "TENSORDECK_TEST_PRELOADED_TENSORFLOW";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** How the variables begin that decide how TensorFlow is imported. */
const IMPORTED_WITH = ["TF_", "KERAS_", "CUDA_", "OMP_", "LD_", "PYTHON"];
/** One of these tells only how much it says, and the other is read by scripts. */
const OTHERWISE = ["TF_CPP_MIN_LOG_LEVEL", "TF_CONFIG"];

/**
 * The first lines of a Python program. The kernel cuts a shebang at its first space, so a shell starts the interpreter, in a
 * line that is a string to Python; pip's own programs do the same.
 */
function shebang(python: string): string {
  const quoted = python.replace(/[\\"$`]/g, "\\$&");
  return `#!/bin/sh\n'''exec' "${quoted}" -SEs "$0" "$@"\n' '''\n`;
}

/** Called by vitest once before all tests; what it returns, after them. */
export default function setup(project: TestProject): (() => Promise<void>) | undefined {
  const python = process.platform === "linux" ? findTensorflow() : undefined;
  if (python === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-tensorflow-"));
  const socket = join(folder, "socket");
  const program = join(folder, "python");
  const environment = { ...process.env, ...project.config.env };
  const imported = Object.entries(environment).filter(
    ([name]) => IMPORTED_WITH.some((prefix) => name.startsWith(prefix)) && !OTHERWISE.includes(name),
  );
  const constants = {
    PYTHON: python.executable,
    SOCKET: socket,
    NETWORK: readlinkSync("/proc/self/ns/net"),
    IMPORTED_WITH,
    OTHERWISE,
    ENVIRONMENT: Object.fromEntries(imported),
  };
  const assignments = Object.entries(constants).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  );
  writeFileSync(
    program,
    `${shebang(python.executable)}${assignments.join("")}${readFileSync(fileOf("client.py"), "utf8")}`,
  );
  chmodSync(program, 0o700);
  const host = spawn(python.executable, [fileOf("host.py"), socket], {
    env: environment,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => {
    host.once("close", () => resolve());
    host.once("error", () => resolve());
  });
  process.env[VARIABLE] = program;
  return async () => {
    delete process.env[VARIABLE];
    host.stdin?.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}
