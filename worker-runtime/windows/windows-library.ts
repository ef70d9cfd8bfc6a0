/**
 * Windows' own functions, through koffi. They are declared when they are first called: koffi is loaded then, which fails on a
 * system for which it has no binary, and the libraries exist on Windows alone.
 */
import { loadWindowsLibrary } from "../programs/load-library.js";
import type { NativeFunction } from "../programs/native-function.js";
import { internalError } from "../protocol/status.js";

/** A HANDLE; those above 2^53 are bigints. */
export type Handle = number | bigint;

/** The structures are read by their 64-bit layout. */
const ARCHITECTURES = ["x64", "arm64"];

export const ERROR_ACCESS_DENIED = 5;
export const ERROR_INVALID_PARAMETER = 87;
export const ERROR_INSUFFICIENT_BUFFER = 122;

/**
 * Declares a function when it is first called for.
 *
 * @param library "kernel32.dll".
 * @param prototype in C, with `__stdcall`.
 */
export function windowsFunction<Args extends readonly unknown[], Result>(
  library: string,
  prototype: string,
): () => NativeFunction<Args, Result> {
  let declared: NativeFunction<Args, Result> | undefined;
  return () => {
    declared ??= declare<Args, Result>(library, prototype);
    return declared;
  };
}

/** @throws Error if koffi or the library cannot be loaded, or has no such function; TensorFlowError INTERNAL on 32 bits. */
function declare<Args extends readonly unknown[], Result>(
  library: string,
  prototype: string,
): NativeFunction<Args, Result> {
  if (!ARCHITECTURES.includes(process.arch)) {
    throw internalError(`Windows' libraries are called on ${ARCHITECTURES.join(" and ")} only.`);
  }
  return loadWindowsLibrary(library).func(prototype) as unknown as NativeFunction<Args, Result>;
}

const getLastError = windowsFunction<[], number>("kernel32.dll", "uint32_t __stdcall GetLastError()");
const formatMessage = windowsFunction<[number, null, number, number, Uint8Array, number, null], number>(
  "kernel32.dll",
  "uint32_t __stdcall FormatMessageW(uint32_t flags, void *source, uint32_t id, uint32_t language, void *buffer, " +
    "uint32_t units, void *arguments)",
);
/** FORMAT_MESSAGE_FROM_SYSTEM and FORMAT_MESSAGE_IGNORE_INSERTS. */
const SYSTEM_TEXT = 0x1200;
const TEXT_UNITS = 512;

/**
 * The number of the last call's failure; koffi keeps it between two calls. That of a function called by `callAsync` is another
 * thread's: such a function is to return its status.
 */
export function lastErrorNumber(): number {
  return getLastError()();
}

/** "OpenProcess failed: Access is denied (error 5)." */
export function windowsError(call: string, code: number): Error {
  const buffer = Buffer.alloc(TEXT_UNITS * 2);
  const units = formatMessage()(SYSTEM_TEXT, null, code, 0, buffer, TEXT_UNITS, null);
  const text = buffer.toString("utf16le", 0, units * 2).replace(/[.\s]+$/, "");
  const number = `error ${code > 0xffff ? `0x${code.toString(16)}` : code}`;
  return internalError(text === "" ? `${call} failed: ${number}.` : `${call} failed: ${text} (${number}).`);
}
