/** Ctrl+C, which only a program on the same console can press. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { StartOptions, WineMachine } from "./wine-machine.js";

const SCRIPT = "/trial/interrupt.mjs";
const LOG = "/trial/interrupt.txt";

/**
 * Starts `tensordeck` on a console, presses Ctrl+C once it has written a text, and waits for its end. Gives the output with
 * `pressed 1`, and `ended with CODE SIGNAL` as the last line. A console breaks long lines; here they are whole.
 */
export async function interrupted(
  machine: WineMachine,
  args: readonly string[],
  ready: string,
  options: Omit<StartOptions, "console" | "ready"> = {},
): Promise<string> {
  mkdirSync(machine.file("/trial"), { recursive: true });
  writeFileSync(machine.file(SCRIPT), INTERRUPT);
  rmSync(machine.file(LOG), { force: true });
  const program = machine.windowsPath("/tensordeck/build/bin/tensordeck.mjs");
  const peer = await machine.node([machine.windowsPath(SCRIPT), ready, program, ...args], {
    ...options,
    console: true,
  });
  await peer.exited;
  return readFileSync(machine.file(LOG), "utf8");
}

const INTERRUPT = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
let said = "";
const say = (text) => {
  said += text;
  appendFileSync("Z:\\\\trial\\\\interrupt.txt", text);
};
const koffi = createRequire("Z:\\\\tensordeck\\\\package.json")("koffi");
const press = koffi.load("C:\\\\windows\\\\system32\\\\kernel32.dll").func(
  "int __stdcall GenerateConsoleCtrlEvent(uint32_t event, uint32_t group)");
process.on("SIGINT", () => undefined);
const [ready, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
let pressed = false;
const hear = (text) => {
  say(text);
  if (pressed || !said.includes(ready)) return;
  pressed = true;
  say("pressed " + press(0, 0) + "\\n");
};
child.stderr.on("data", hear);
child.stdout.on("data", hear);
child.on("close", (code, signal) => {
  say("ended with " + code + " " + signal + "\\n");
  process.exit(0);
});
`;
