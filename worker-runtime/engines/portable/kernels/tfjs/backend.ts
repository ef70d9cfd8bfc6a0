import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { BackendValues, DataType, KernelBackend, NamedAttrMap, TensorInfo } from "@tensorflow/tfjs-core";
import {
  asTensorFlowError,
  failedPrecondition,
  internalError,
  StatusCode,
  unimplemented,
} from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";

type Tfjs = typeof import("@tensorflow/tfjs-core");
type TfjsWasm = typeof import("@tensorflow/tfjs-backend-wasm");

/** Where a kernel of TensorFlow.js runs. */
export type TfjsBackendName = "wasm" | "cpu";

/** TensorFlow.js once it is loaded, with its backends by name; wasm is missing if WebAssembly is not available. */
interface Loaded {
  readonly tf: Tfjs;
  readonly backends: ReadonlyMap<TfjsBackendName, KernelBackend>;
}

// Loaded on demand instead of imported: it takes 20 MB of memory per thread, which threads that compute no matrices
// should not use. It is CommonJS, so `require` is also the fast way to load it.
const require = createRequire(import.meta.url);

let loading: Promise<void> | undefined;
let loaded: Loaded | undefined;

/**
 * Loads TensorFlow.js with its wasm and cpu backends into this thread; takes about 50 ms. May be called repeatedly. If
 * WebAssembly does not work, only the cpu backend is available afterwards.
 */
export function initTfjs(): Promise<void> {
  loading ??= load().then((result) => {
    loaded = result;
  });
  return loading;
}

/** True once `initTfjs` is done and the backend works: then `runTfjsKernel` may be called. */
export function hasTfjsBackend(name: TfjsBackendName): boolean {
  return loaded?.backends.has(name) ?? false;
}

/** The library, for uses other than running kernels. @throws TensorFlowError FAILED_PRECONDITION before `initTfjs`. */
export function tfjs(): Tfjs {
  return requireLoaded().tf;
}

/** The number of tensors in the backends: the same before and after every kernel. */
export function tfjsTensorCount(): number {
  const { tf, backends } = requireLoaded();
  let count = tf.memory().numTensors;
  for (const backend of backends.values()) {
    count += backend.numDataIds();
  }
  return count;
}

/**
 * Runs one kernel of TensorFlow.js, on wasm if wasm implements it, otherwise on cpu.
 * @param kernel the name in TensorFlow.js, "BatchMatMul".
 * @param inputs float32, int32, bool or string tensors by the kernel's own names for them.
 * @returns the outputs, in memory of their own.
 * @throws TensorFlowError FAILED_PRECONDITION before `initTfjs`; UNIMPLEMENTED for kernels and dtypes that no backend
 *   supports; INVALID_ARGUMENT for inputs that the kernel rejects.
 */
export function runTfjsKernel(
  kernel: string,
  inputs: Readonly<Record<string, Tensor>>,
  attrs: NamedAttrMap,
): readonly Tensor[] {
  const { tf, backends } = requireLoaded();
  for (const [name, backend] of backends) {
    const config = tf.getKernel(kernel, name);
    if (config != null) {
      return runOn(backend, inputs, (infos) => config.kernelFunc({ inputs: infos, attrs, backend }));
    }
  }
  throw unimplemented(`TensorFlow.js has no kernel '${kernel}'.`);
}

/** Passes the inputs to a backend for one call and releases them afterwards, even if the call throws. */
function runOn(
  backend: KernelBackend,
  inputs: Readonly<Record<string, Tensor>>,
  call: (inputs: Record<string, TensorInfo>) => TensorInfo | TensorInfo[],
): Tensor[] {
  const lent: Record<string, TensorInfo> = {};
  let outputs: TensorInfo[] = [];
  try {
    for (const [name, tensor] of Object.entries(inputs)) {
      const dtype = tfjsTypeOf(tensor);
      const dataId = backend.write(tfjsValues(tensor), [...tensor.shape], dtype);
      lent[name] = { dataId, shape: [...tensor.shape], dtype };
    }
    outputs = [call(lent)].flat();
    return outputs.map((info) => tensorOfTfjs(info, backend.readSync(info.dataId)));
  } catch (error) {
    throw asTensorFlowError(error, StatusCode.INVALID_ARGUMENT);
  } finally {
    for (const { dataId } of [...outputs, ...Object.values(lent)]) {
      backend.disposeData(dataId);
    }
  }
}

/** The dtype of a tensor in TensorFlow.js. @throws TensorFlowError UNIMPLEMENTED for dtypes that it does not have. */
export function tfjsTypeOf({ dtype }: Tensor): DataType {
  switch (dtype) {
    case "float32":
    case "int32":
    case "bool":
    case "string":
      return dtype;
    default:
      throw unimplemented(`TensorFlow.js has no tensors of ${dtype}.`);
  }
}

/** The elements of a tensor in the form that TensorFlow.js accepts; not copied. */
export function tfjsValues({ dtype, data }: Tensor): BackendValues {
  if (data instanceof Float32Array || data instanceof Int32Array || data instanceof Uint8Array) {
    return data;
  }
  if (isByteList(data)) {
    return [...data];
  }
  throw unimplemented(`TensorFlow.js has no tensors of ${dtype}.`);
}

/** A tensor of values read from a backend. The values are not copied. @throws TensorFlowError INTERNAL */
export function tensorOfTfjs(
  { dtype, shape }: { readonly dtype: DataType; readonly shape: readonly number[] },
  values: BackendValues,
): Tensor {
  if (values instanceof Uint8ClampedArray) {
    throw internalError("TensorFlow.js gave pixels where a tensor was expected.");
  }
  return new Tensor(dtype, [...shape], values);
}

function requireLoaded(): Loaded {
  if (loaded === undefined) {
    throw failedPrecondition("TensorFlow.js is not loaded yet.");
  }
  return loaded;
}

async function load(): Promise<Loaded> {
  const tf = require("@tensorflow/tfjs-core") as Tfjs;
  // Otherwise the cpu backend prints a welcome message.
  tf.enableProdMode();
  const backends = new Map<TfjsBackendName, KernelBackend>();
  if (await startWasm(tf)) {
    backends.set("wasm", tf.findBackend("wasm"));
  }
  require("@tensorflow/tfjs-backend-cpu");
  if (backends.size === 0) {
    await tf.setBackend("cpu");
  }
  backends.set("cpu", tf.findBackend("cpu"));
  return { tf, backends };
}

/** Returns whether the wasm backend works; if so, it is now the current one. */
async function startWasm(tf: Tfjs): Promise<boolean> {
  const { setWasmPaths } = require("@tensorflow/tfjs-backend-wasm") as TfjsWasm;
  setWasmPaths(join(dirname(require.resolve("@tensorflow/tfjs-backend-wasm")), sep));
  // Its threads are web workers, which Node does not support.
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  const restoreListeners = guardProcessListeners();
  try {
    return await tf.setBackend("wasm");
  } catch {
    return false;
  } finally {
    restoreListeners();
  }
}

const guardedEvents = ["uncaughtException", "unhandledRejection"] as const;

/**
 * Emscripten's start-up code registers handlers for the errors of the whole process, which a library of kernels must
 * not do.
 * @returns a function that removes the listeners added since the call.
 */
function guardProcessListeners(): () => void {
  const before = new Set<unknown>(guardedEvents.flatMap((event) => process.rawListeners(event)));
  return () => {
    for (const event of guardedEvents) {
      for (const listener of process.rawListeners(event)) {
        if (!before.has(listener)) {
          process.removeListener(event, listener as (...args: unknown[]) => void);
        }
      }
    }
  };
}
