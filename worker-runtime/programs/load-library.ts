/** Loading shared libraries. No other module calls koffi's `load` (a lint rule): here is checked where they come from. */
import { createRequire } from "node:module";
import path from "node:path";
import { internalError } from "../protocol/status.js";
import { isFullPath, windowsSystemFolder } from "./find-program.js";
import { neutralFolder } from "./run-program.js";

type Koffi = typeof import("koffi");
export type Library = ReturnType<Koffi["load"]>;

/**
 * koffi, loaded where it is needed: most processes load no library, one that exits can import nothing, and there are systems
 * for which it has no binary.
 *
 * @throws Error if it has none for this one.
 */
export const loadKoffi = (): Koffi => createRequire(import.meta.url)("koffi") as Koffi;

/**
 * Loads a shared library.
 *
 * @param file its full path: by a bare name Windows would look for it in the current folder.
 * @throws Error with the loader's text; TensorFlowError INTERNAL for a path that is none.
 */
export function loadLibrary(file: string, options: Parameters<Koffi["load"]>[1] = {}): Library {
  if (!isFullPath(file)) {
    throw internalError(`${file} is not the full path of a library.`);
  }
  leaveOutCurrentFolder();
  return loadKoffi().load(file, options);
}

/** The functions of this process itself and of the libraries that it has loaded. */
export function ownSymbols(): Library {
  return loadKoffi().load(null);
}

/** A library of Windows, from its system folder. @throws Error as `loadLibrary`. */
export function loadWindowsLibrary(name: string): Library {
  return loadLibrary(path.win32.join(windowsSystemFolder(), name));
}

/**
 * A library of a Unix system, by the name under which the linker knows it ("libvulkan.so.1"). For a process of its own that
 * `runProgram` has started in the neutral folder: to the linker an empty entry of LD_LIBRARY_PATH, which a colon at its end
 * makes, is the current folder. (A process that a user starts has loaded Node's own libraries by then, from the same places.)
 *
 * @throws Error with the loader's text; TensorFlowError INTERNAL in another folder.
 */
export function loadLinkedLibrary(name: string): Library {
  if (process.cwd() !== neutralFolder()) {
    throw internalError(`${name} may only be loaded in ${neutralFolder()}.`);
  }
  return loadKoffi().load(name);
}

let isLeftOut = false;

/**
 * Makes Windows look for the libraries that others need, by their names alone, everywhere but in the current folder. For a
 * process that loads a library in any other way, such as an addon of Node's, before it does so.
 */
export function leaveOutCurrentFolder(): void {
  if (isLeftOut || process.platform !== "win32") {
    return;
  }
  const folder = windowsSystemFolder();
  const kernel32 = loadKoffi().load(path.win32.join(folder, "kernel32.dll"));
  // A folder that is set takes the place of the current one in the search. An empty name would do on Windows, not on Wine.
  if (kernel32.func("bool __stdcall SetDllDirectoryW(const char16_t *folder)")(folder) !== true) {
    throw internalError("SetDllDirectory failed.");
  }
  isLeftOut = true;
}
