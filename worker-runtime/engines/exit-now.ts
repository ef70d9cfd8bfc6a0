import { loadWindowsLibrary, ownSymbols } from "../programs/load-library.js";
import { internalError } from "../protocol/status.js";

/**
 * Ends this process at once, without static destructors and without ending its threads in turn: for native libraries that crash
 * where they are interrupted. Flush what was written before.
 * @throws Error where koffi cannot be loaded.
 */
export function exitNow(code: number): never {
  if (process.platform === "win32") {
    const kernel32 = loadWindowsLibrary("kernel32.dll");
    const current = kernel32.func("void *__stdcall GetCurrentProcess()");
    kernel32.func("bool __stdcall TerminateProcess(void *process, uint code)")(current(), code);
  } else {
    ownSymbols().func("void _exit(int code)")(code);
  }
  throw internalError("The process did not exit.");
}
