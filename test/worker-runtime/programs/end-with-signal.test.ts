import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endWithSignal } from "../../../worker-runtime/programs/end-with-signal.js";

test("ends the child when the signal is aborted, or was before", async () => {
  for (const abortFirst of [true, false]) {
    const abort = new AbortController();
    if (abortFirst) abort.abort();
    const child = endWithSignal(spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]), abort.signal);
    abort.abort();
    expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
  }
});

// Node's own `signal` option ends the whole process group here, this test among it.
test("harms nobody where the program could not be started", async () => {
  const abort = new AbortController();
  const ended = new Promise<Error | null>((resolve) => {
    endWithSignal(
      execFile("/nowhere/no-such-program", [], (error) => resolve(error)),
      abort.signal,
    );
  });
  abort.abort();
  expect(await ended).toMatchObject({ code: "ENOENT" });
});
