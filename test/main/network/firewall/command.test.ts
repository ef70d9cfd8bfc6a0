import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { commandEnvironment, runCommand } from "../../../../main/network/firewall/command.js";

const { signal } = new AbortController();
const node = (script: string, abort = signal) =>
  runCommand(process.execPath, ["-e", script], { signal: abort });

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a program", () => {
  it("is run to its end, whatever that is", async () => {
    expect(await node("console.log('out'); console.error('err'); process.exit(41)")).toEqual({
      code: 41,
      stdout: "out\n",
      stderr: "err\n",
    });
    expect((await node("")).code).toBe(0);
    expect((await node("process.kill(process.pid)")).code).toBe(128);
  });

  it("that is not there ends as in a shell", async () => {
    expect((await runCommand("no-such-program-here", [], { signal })).code).toBe(127);
  });

  it("that is not there ends so also where a folder of the search path has its name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-command-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "no-such-program-here"));
    vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter));
    expect(await runCommand("no-such-program-here", [], { signal })).toMatchObject({ code: 127 });
  });

  it("is ended with the signal, whose reason is told", async () => {
    const controller = new AbortController();
    const reason = new Error("closed");
    const running = node("setInterval(() => {}, 1000)", controller.signal);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it("finds administrators' programs and speaks English", () => {
    const environment = commandEnvironment({ PATH: "/usr/bin:/sbin", LANG: "de_DE.UTF-8" });
    expect(environment.PATH).toBe("/usr/bin:/sbin:/usr/local/sbin:/usr/sbin");
    expect(environment.LC_ALL).toBe("C");
  });
});
