/** A machine is used by one run at a time: each empties its folders and registers its emulator. */
import { createServer } from "node:net";

/**
 * Holds a name on this machine until it is given back or the process ends.
 *
 * @returns what gives it back.
 * @throws Error if another process has it.
 */
export async function takeAlone(name: string): Promise<() => void> {
  // An abstract socket of Linux: there is no file that a killed process could leave.
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () =>
      reject(new Error(`${name} is in use by another run. Wait until it has ended.`)),
    );
    server.listen(`\0tensordeck-${name}`, resolve);
  });
  server.unref();
  return () => server.close();
}
