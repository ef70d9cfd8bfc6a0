import { spawnPeer, tensorflowPython } from "./peers.js";

/** Characters of Python's output that an error shows. */
const SHOWN_OUTPUT = 4000;

/**
 * Runs a Python script with TensorFlow until its end.
 * @param script prints a line "RESULT " with JSON behind it.
 * @param input what it finds as JSON in its standard input.
 * @returns the JSON, of which type only the script can tell.
 */
export async function tensorflowResult<T>(
  script: string,
  { input, args = [] }: { readonly input?: unknown; readonly args?: readonly string[] } = {},
): Promise<T> {
  const options = input === undefined ? {} : { input: JSON.stringify(input) };
  const python = await spawnPeer(tensorflowPython(), ["-c", script, ...args], options);
  await python.exited;
  const line = /^RESULT (.*)$/m.exec(python.stdout())?.[1];
  if (line === undefined) {
    throw new Error(`Python gave no result:\n${python.output().slice(-SHOWN_OUTPUT)}`);
  }
  return JSON.parse(line) as T;
}
