import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { endTree, ProcessGroup } from "../../../main/scripts/process-group.js";
import { deferred } from "../../../main/shared/deferred.js";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";

/** A Node that runs a program in a group of its own; `said` resolves with its first line. */
function group(program: string, graceMillis?: number) {
  const said = deferred<string>();
  const lines: string[] = [];
  const running = new ProcessGroup(
    { command: [process.execPath, "-e", program], cwd: tmpdir(), env: process.env },
    {
      onLine: (text) => {
        lines.push(text);
        said.resolve(text);
      },
      ...(graceMillis !== undefined && { graceMillis }),
    },
  );
  return { running, said: said.promise, lines };
}

const CHILD = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }).pid`;

describe("a process group", () => {
  it("reports the output and the exit code", async () => {
    const { running, lines } = group(`console.log("out"); console.error("err"); process.exitCode = 7`);
    expect(await running.exited).toEqual({ code: 7, signal: null });
    expect(lines.sort()).toEqual(["err", "out"]);
  });

  it("ends what the process has started, too", async () => {
    const { running, said } = group(`console.log(${CHILD}); setInterval(() => {}, 1000)`);
    const child = Number(await said);
    expect(processExists(child)).toBe(true);
    running.end();
    expect(await running.exited).toEqual({ code: null, signal: "SIGTERM" });
    await expect.poll(() => processExists(child)).toBe(false);
  });

  it("leaves nothing behind when the process ends by itself", async () => {
    const { running, said } = group(`console.log(${CHILD}); setTimeout(() => process.exit(0), 50)`);
    const child = Number(await said);
    expect(await running.exited).toEqual({ code: 0, signal: null });
    await expect.poll(() => processExists(child)).toBe(false);
  });

  it("does not wait for a daemon that has left the group and holds the output open", async () => {
    const daemon = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => console.log(1), 10)"], { stdio: "inherit", detached: true })`;
    const { running, said } = group(`const daemon = ${daemon}; console.log(daemon.pid); daemon.unref()`, 200);
    const pid = Number(await said);
    try {
      expect(await running.exited).toEqual({ code: 0, signal: null });
      await expect.poll(() => processExists(pid)).toBe(false);
    } finally {
      if (processExists(pid)) process.kill(pid, "SIGKILL");
    }
  });

  it("kills a process that ignores the request after the grace, and at once when asked again", async () => {
    const ignoring = `process.on("SIGTERM", () => console.log("no")); setInterval(() => {}, 1000); console.log("ready")`;
    const patient = group(ignoring, 20);
    await patient.said;
    patient.running.end();
    expect((await patient.running.exited).signal).toBe("SIGKILL");
    const endless = group(ignoring, 2 ** 30);
    await endless.said;
    endless.running.end();
    endless.running.end();
    expect((await endless.running.exited).signal).toBe("SIGKILL");
  });

  it("says that a program could not be started", async () => {
    const running = new ProcessGroup(
      { command: ["/no/such/program"], cwd: tmpdir(), env: {} },
      { onLine: () => undefined },
    );
    expect(await running.exited).toEqual({ code: null, signal: null });
    expect(running.startError?.message).toContain("ENOENT");
    running.end();
  });

  describe("on Windows", () => {
    /** The arguments of each taskkill, which fails unless it uses force. */
    async function ended(force: boolean, canAsk: boolean): Promise<string[]> {
      const ran: string[] = [];
      await endTree(42, force, async (program, args) => {
        ran.push([program, ...args].join(" "));
        return { error: canAsk || args.includes("/F") ? undefined : new Error("only forcefully") };
      });
      return ran;
    }

    it("is asked to end, with its descendants", async () => {
      expect(await ended(false, true)).toEqual(["taskkill /PID 42 /T"]);
    });

    it("is ended by force at once where it cannot be asked", async () => {
      expect(await ended(false, false)).toEqual(["taskkill /PID 42 /T", "taskkill /PID 42 /T /F"]);
    });

    it("is ended by force after its grace", async () => {
      expect(await ended(true, true)).toEqual(["taskkill /PID 42 /T /F"]);
    });
  });
});
