/** Node's warnings in this process, such as too many listeners on one signal. */
import { setImmediate } from "node:timers/promises";

/** Names of the warnings that some work brings about: "MaxListenersExceededWarning". */
export async function warningsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const note = ({ name }: Error): void => void names.push(name);
  process.on("warning", note);
  try {
    await work();
    // They are told after what brought them about.
    await setImmediate();
  } finally {
    process.off("warning", note);
  }
  return names;
}
