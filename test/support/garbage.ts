/** Garbage collections at a chosen moment. */
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Frees everything that nothing holds, also what a task or a job of this moment has referred to weakly. */
export async function collectGarbage(): Promise<void> {
  if (typeof collect !== "function") throw new Error("V8 does not give its garbage collector away.");
  for (let i = 0; i < 3; i += 1) {
    await setImmediate();
    collect();
  }
}
