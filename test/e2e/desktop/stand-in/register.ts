/** Loaded before the program: has it import the stand-in where it imports Electron. */
import { register } from "node:module";

const HOOKS = `export async function resolve(specifier, context, next) {
  return specifier === "electron" ? { url: ${JSON.stringify(new URL("electron.ts", import.meta.url).href)}, shortCircuit: true }
    : next(specifier, context);
}`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

// The program and its page then behave as on that system; tasks, which are processes of their own, do not.
const { STAND_IN_PLATFORM } = process.env;
if (STAND_IN_PLATFORM !== undefined) Object.defineProperty(process, "platform", { value: STAND_IN_PLATFORM });
