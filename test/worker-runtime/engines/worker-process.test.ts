/** The command line of a task's process. */
import { expect, test } from "vitest";
import type { LogLine } from "../../../worker-runtime/engines/log-lines.js";
import { START_FLAGS } from "../../../worker-runtime/engines/portable/v8-flags.js";
import { WorkerProcess } from "../../../worker-runtime/engines/worker-process.js";

test.skipIf(process.platform === "win32")(
  "V8's flags come before the program, after the prefix that becomes it",
  async () => {
    const lines: LogLine[] = [];
    const worker = new WorkerProcess({
      args: ["--engine=portable"],
      input: new Uint8Array(),
      env: {},
      cwd: process.cwd(),
      // Prints the command line instead of running it.
      commandPrefix: ["/bin/sh", "-c", 'printf "%s\\n" "$@"', "sh"],
      onLog: (line) => lines.push(line),
    });
    await expect(worker.serving).rejects.toThrow("ended with code 0 before it accepted calls");
    expect(lines.map(({ text }) => text)).toEqual([
      process.execPath,
      ...START_FLAGS,
      expect.stringMatching(/cli[\\/]main\.js$/),
      "worker",
      "--engine=portable",
    ]);
  },
);
