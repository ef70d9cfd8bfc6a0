/**
 * TensorFlow's C functions, through koffi. Only for processes that do nothing else: the library cannot be unloaded, its
 * static destructors crash at exit (use exit-now.ts), and a crash in it takes down the process.
 */
import koffi from "koffi";
import { type Library, loadLibrary } from "../../programs/load-library.js";
import { callAsync, type NativeFunction } from "../../programs/native-function.js";
import { internalError, StatusCode, statusCodeOf, TensorFlowError } from "../../protocol/status.js";
import { exitNow } from "../exit-now.js";
import type { LibraryFiles } from "./candidate.js";
import { libraryAdvice } from "./installable.js";

/** A TF_Server*. */
export type ServerHandle = bigint & { readonly __serverHandle: never };

export interface TensorFlowLibrary {
  /** TF_Version's text. */
  readonly version: string;
  /** True for a CUDA or ROCm build, undefined if the library does not export the query. */
  readonly gpu: boolean | undefined;
  /** Every op of the library, a serialized OpList. */
  opList(): Uint8Array;
  /**
   * Creates a server that does not answer yet. Runs off the event loop; it creates the devices, so it may take seconds.
   */
  newServer(serverDef: Uint8Array): Promise<ServerHandle>;
  startServer(server: ServerHandle): Promise<void>;
  /** "grpc://host:port". */
  serverTarget(server: ServerHandle): string;
}

/** The functions that a worker calls; a library that lacks one of them cannot be hosted. */
export const neededSymbols = [
  "TF_Version",
  "TF_NewStatus",
  "TF_DeleteStatus",
  "TF_GetCode",
  "TF_Message",
  "TF_GetAllOpList",
  "TF_NewServer",
  "TF_ServerStart",
  "TF_ServerTarget",
] as const;

type NeededSymbol = (typeof neededSymbols)[number];
type Pointer = bigint;

const prototypes: Record<NeededSymbol, string> = {
  TF_Version: "const char *TF_Version()",
  TF_NewStatus: "void *TF_NewStatus()",
  TF_DeleteStatus: "void TF_DeleteStatus(void *status)",
  TF_GetCode: "int TF_GetCode(void *status)",
  TF_Message: "const char *TF_Message(void *status)",
  TF_GetAllOpList: "void *TF_GetAllOpList()",
  TF_NewServer: "void *TF_NewServer(const uint8_t *proto, size_t length, void *status)",
  TF_ServerStart: "void TF_ServerStart(void *server, void *status)",
  TF_ServerTarget: "const char *TF_ServerTarget(void *server)",
};

/**
 * Loads a libtensorflow into this process.
 * @param forGpu whether a GPU is to be used: loads what the library would not find itself.
 * @throws TensorFlowError FAILED_PRECONDITION with the loader's text (which names a missing library), or with the
 *   symbols that the library lacks.
 */
export function loadTensorFlow(files: LibraryFiles, forGpu: boolean): TensorFlowLibrary {
  // However the process ends, it must not run the library's destructors: TensorFlow's crash while its threads still run, and
  // TF_ServerStop answers "Clean shutdown is not currently implemented".
  process.once("exit", (code) => exitNow(code));
  // The main library resolves its symbols from the libraries loaded before it, so all are global.
  for (const file of [...(forGpu ? files.gpuPreload : []), ...files.preload]) {
    loadOne(file);
  }
  const library = loadOne(files.path);
  const missing = neededSymbols.filter((name) => !hasSymbol(library, name));
  if (missing.length > 0) {
    throw new TensorFlowError(
      StatusCode.FAILED_PRECONDITION,
      `${files.path} has no ${missing.join(", ")}, so it cannot serve. ` +
        `Another library is needed, that of the tensorflow package (2.x). ${libraryAdvice()}`,
    );
  }
  return bind(library);
}

function loadOne(file: string): Library {
  try {
    return loadLibrary(file, { global: true, lazy: true });
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).replace(
      /^Failed to load shared library: /,
      "",
    );
    throw new TensorFlowError(
      StatusCode.FAILED_PRECONDITION,
      `${file} cannot be loaded: ${text}. Install what it misses, or use another libtensorflow. ${libraryAdvice()}`,
      { cause: error },
    );
  }
}

function hasSymbol(library: Library, name: string): boolean {
  try {
    library.symbol(name);
    return true;
  } catch {
    return false;
  }
}

function bind(library: Library): TensorFlowLibrary {
  const declare = <Args extends readonly unknown[], Result>(name: NeededSymbol) =>
    library.func(prototypes[name]) as unknown as NativeFunction<Args, Result>;
  const version = declare<[], string>("TF_Version");
  const newStatus = declare<[], Pointer>("TF_NewStatus");
  const deleteStatus = declare<[Pointer], void>("TF_DeleteStatus");
  const getCode = declare<[Pointer], number>("TF_GetCode");
  const message = declare<[Pointer], string>("TF_Message");
  const getAllOpList = declare<[], Pointer>("TF_GetAllOpList");
  const newServer = declare<[Uint8Array, number, Pointer], Pointer | null>("TF_NewServer");
  const serverStart = declare<[ServerHandle, Pointer], void>("TF_ServerStart");
  const serverTarget = declare<[ServerHandle], string>("TF_ServerTarget");

  /** One TF_Status for each call in flight: they must not be shared between threads. */
  async function checked<Result>(call: (status: Pointer) => Promise<Result>): Promise<Result> {
    const status = newStatus();
    try {
      const result = await call(status);
      const code = getCode(status);
      if (code !== StatusCode.OK) {
        throw new TensorFlowError(statusCodeOf(code), message(status));
      }
      return result;
    } finally {
      deleteStatus(status);
    }
  }

  return {
    version: version(),
    gpu: gpuBuild(library),
    opList: () => bufferBytes(getAllOpList()),
    newServer: async (serverDef) => {
      const server = await checked((status) => callAsync(newServer, serverDef, serverDef.length, status));
      if (server === null) {
        throw internalError("TF_NewServer returned neither a server nor a reason.");
      }
      return server as ServerHandle;
    },
    startServer: (server) => checked((status) => callAsync(serverStart, server, status)),
    serverTarget: (server) => serverTarget(server),
  };
}

// C++ names of bool tensorflow::IsGoogleCudaEnabled() and IsBuiltWithROCm() (core/util/port.h), Itanium and MSVC ABI.
const gpuQuestions = [
  "_ZN10tensorflow19IsGoogleCudaEnabledEv",
  "_ZN10tensorflow15IsBuiltWithROCmEv",
  "?IsGoogleCudaEnabled@tensorflow@@YA_NXZ",
  "?IsBuiltWithROCm@tensorflow@@YA_NXZ",
];

function gpuBuild(library: Library): boolean | undefined {
  const asked = gpuQuestions.filter((name) => hasSymbol(library, name));
  if (asked.length === 0) {
    return undefined;
  }
  return asked.some((name) => library.func(name, "bool", [])() === true);
}

const bufferType = koffi.struct({ data: "void *", length: "size_t", deallocator: "void *" });

/** The bytes of a TF_Buffer, copied, so that they outlive it. */
function bufferBytes(buffer: Pointer): Uint8Array {
  const { data, length } = koffi.decode(buffer, bufferType) as { data: Pointer; length: number | bigint };
  return new Uint8Array(koffi.view(data, Number(length))).slice();
}
