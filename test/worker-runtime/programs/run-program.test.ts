import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { neutralFolder, runProgram, startProgram } from "../../../worker-runtime/programs/run-program.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tensordeck-run-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PRINT_FOLDER = ["-e", "process.stdout.write(process.cwd())"];

test("a program works in a folder of the system unless another one is chosen", async () => {
  const { error, stdout } = await runProgram(process.execPath, PRINT_FOLDER);
  expect(error).toBeUndefined();
  expect(stdout).toBe(realpathSync(neutralFolder()));
  expect(stdout).not.toBe(process.cwd());
  expect((await runProgram(process.execPath, PRINT_FOLDER, { cwd: folder })).stdout).toBe(folder);
});

test("a program that fails is told with its code and output", async () => {
  const script = "console.log('out'); console.error('err'); process.exit(3)";
  const { error, stdout, stderr } = await runProgram(process.execPath, ["-e", script]);
  expect([error?.code, stdout, stderr]).toEqual([3, "out\n", "err\n"]);
});

test("a program that is not installed, or is none, is told as an error", async () => {
  const missing = await runProgram("no-such-program", []);
  expect(missing.error).toMatchObject({
    code: "ENOENT",
    message: expect.stringContaining("no-such-program"),
  });
  const file = join(folder, "notes");
  writeFileSync(file, "\0 not a program\n");
  chmodSync(file, 0o755);
  expect((await runProgram(file, [])).error).toBeInstanceOf(Error);
  // As a shell would find it: in the current folder, and through its own relative path.
  for (const name of ["./notes", "notes"]) {
    expect((await runProgram(name, [], { cwd: folder, env: { PATH: ":." } })).error?.code).toBe("ENOENT");
  }
});

test.skipIf(process.platform === "win32")(
  "a program is looked for in the PATH that it is given",
  async () => {
    const file = join(folder, "tool");
    writeFileSync(file, "#!/bin/sh\necho here\n");
    chmodSync(file, 0o755);
    expect((await runProgram("tool", [], { env: { PATH: folder } })).stdout).toBe("here\n");
  },
);

test("a program ends with the signal", async () => {
  const abort = new AbortController();
  const running = runProgram(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], {
    signal: abort.signal,
  });
  abort.abort();
  expect((await running).error).toMatchObject({ signal: "SIGTERM" });
});

test("a program is started by its full path and in a folder", async () => {
  const options = { cwd: homedir(), stdio: "ignore" } as const;
  for (const program of ["node", "./node", "", "bin/node"]) {
    expect(() => startProgram(program, [], options)).toThrow("is not the full path of a program");
  }
  const child = startProgram(process.execPath, ["-e", "0"], options);
  expect(await once(child, "close")).toEqual([0, null]);
});
