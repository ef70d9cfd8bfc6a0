/** One run at a time uses an emulated machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { takeAlone } from "../platforms/linux/sole-use.js";

test.runIf(process.platform === "linux")("another one waits until it is given back", async () => {
  const said = vi.spyOn(console, "log").mockImplementation(() => undefined);
  onTestFinished(() => said.mockRestore());
  const name = `test-${process.pid}`;
  const events: string[] = [];
  const giveBack = await takeAlone(name);
  const second = takeAlone(name).then((giveSecondBack) => {
    events.push("second");
    return giveSecondBack;
  });
  await vi.waitFor(() => expect(said).toHaveBeenCalledWith(expect.stringContaining("in use by another run")));
  events.push("given back");
  giveBack();
  (await second)();
  expect(events).toEqual(["given back", "second"]);
});

test.runIf(process.platform === "linux")("another one waits until its process has ended", async () => {
  const said = vi.spyOn(console, "log").mockImplementation(() => undefined);
  onTestFinished(() => said.mockRestore());
  const name = `test-killed-${process.pid}`;
  const program = `require("net").createServer().listen("\\0tensordeck-${name}", () => console.log("has it"))`;
  const holder = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  const waiting = takeAlone(name);
  await vi.waitFor(() => expect(said).toHaveBeenCalled());
  holder.kill("SIGKILL");
  (await waiting)();
});
