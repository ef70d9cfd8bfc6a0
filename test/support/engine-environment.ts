/** The environment that tells an application about the engines on its machine. */
import { join } from "node:path";
import type { Engine } from "../../main/api/cluster.js";
import { libtensorflowDir } from "./find-peers.js";

/**
 * With "tensorflow", tasks run on the test Python's library. With "portable", the application finds no TensorFlow, as on a
 * fresh machine.
 *
 * @param folder A folder of the application's own, in which nothing is installed.
 */
export function engineEnvironment(engine: Engine, folder: string): Readonly<Record<string, string>> {
  if (engine === "tensorflow") return { TENSORDECK_LIBTENSORFLOW: libtensorflowDir() };
  return {
    TENSORDECK_LIBTENSORFLOW: "",
    XDG_DATA_HOME: join(folder, "share"),
    LD_LIBRARY_PATH: "",
    VIRTUAL_ENV: "",
    CONDA_PREFIX: "",
  };
}
