/** The headless host on ARM, with its window in Chromium on this machine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { headlessHost, SETTINGS, WALK, walkThroughWindow } from "../window-walk.js";
import { type EmulatedMachine, HANGING_MILLIS } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const FOLDER = "/trial/Fenster é";

export function windowOfHost(machine: EmulatedMachine): LinuxCheck {
  return {
    name: WALK,
    form: "full",
    run: async () => {
      machine.empty(FOLDER);
      mkdirSync(machine.file(`${FOLDER}/data`));
      writeFileSync(machine.file(`${FOLDER}/data/settings.json`), SETTINGS);
      const { args, env, ready } = headlessHost((path) => `/tensordeck/${path}`, `${FOLDER}/data`);
      const host = await machine.spawn("node", args, { cwd: FOLDER, env: { ...env, HOME: FOLDER }, ready });
      try {
        await walkThroughWindow(host.match?.[1] ?? "", "größer é.pbtxt", HANGING_MILLIS);
      } catch (error) {
        throw new Error(`${error instanceof Error ? (error.stack ?? "") : String(error)}\n${host.output()}`);
      } finally {
        await host.stop();
      }
    },
  };
}
