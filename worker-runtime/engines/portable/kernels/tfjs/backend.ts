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

const BACKEND = "wasm";

/** TensorFlow.js once it is loaded, with its backend, whose kernels are WebAssembly. */
interface Loaded {
  readonly tf: Tfjs;
  readonly backend: KernelBackend;
}

// Loaded on demand instead of imported: it takes 20 MB of memory per thread, which threads that compute no matrices
// should not use. It is CommonJS, so `require` is also the fast way to load it.
const require = createRequire(import.meta.url);

let loading: Promise<void> | undefined;
let loaded: Loaded | undefined;
let isMissing = false;

/**
 * Loads TensorFlow.js with its wasm backend into this thread; takes about 50 ms. May be called repeatedly. If WebAssembly
 * does not work, products and convolutions have kernels of our own, and those that need TensorFlow.js fail.
 */
export function initTfjs(): Promise<void> {
  loading ??= load().then((result) => {
    loaded = result;
    isMissing = result === undefined;
  });
  return loading;
}

/** True once `initTfjs` is done and WebAssembly works: then `runTfjsKernel` may be called. */
export function hasTfjs(): boolean {
  return loaded !== undefined;
}

/** The library, for uses other than running kernels. @throws TensorFlowError FAILED_PRECONDITION before `initTfjs`. */
export function tfjs(): Tfjs {
  return requireLoaded().tf;
}

/** The number of tensors in the backend: the same before and after every kernel. */
export function tfjsTensorCount(): number {
  const { tf, backend } = requireLoaded();
  return tf.memory().numTensors + backend.numDataIds();
}

/**
 * Runs one kernel of TensorFlow.js.
 * @param kernel the name in TensorFlow.js, "BatchMatMul".
 * @param inputs float32, int32, bool or string tensors by the kernel's own names for them.
 * @returns the outputs, in memory of their own.
 * @throws TensorFlowError FAILED_PRECONDITION before `initTfjs`, or if it found that WebAssembly does not work;
 *   UNIMPLEMENTED for kernels and dtypes that the wasm backend does not have; INVALID_ARGUMENT for inputs that the kernel rejects.
 */
export function runTfjsKernel(
  kernel: string,
  inputs: Readonly<Record<string, Tensor>>,
  attrs: NamedAttrMap,
): readonly Tensor[] {
  const { tf, backend } = requireLoaded();
  const config = tf.getKernel(kernel, BACKEND);
  if (config == null) {
    throw unimplemented(`TensorFlow.js has no kernel '${kernel}'.`);
  }
  return runOn(backend, inputs, (infos) => config.kernelFunc({ inputs: infos, attrs, backend }));
}

/** Passes the inputs to the backend for one call and releases them afterwards, even if the call throws. */
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
    throw failedPrecondition(
      isMissing
        ? "TensorFlow.js, whose kernel this op uses, needs WebAssembly, which does not work in this process. Start Node " +
            "without --jitless and with enough memory."
        : "TensorFlow.js is not loaded yet.",
    );
  }
  return loaded;
}

/** @returns undefined if WebAssembly does not work. */
async function load(): Promise<Loaded | undefined> {
  const tf = require("@tensorflow/tfjs-core") as Tfjs;
  // Without its checks and warnings for people who try it out.
  tf.enableProdMode();
  return (await startWasm(tf)) ? { tf, backend: tf.findBackend(BACKEND) } : undefined;
}

/** Returns whether the wasm backend works; if so, it is now the current one. */
async function startWasm(tf: Tfjs): Promise<boolean> {
  const { setWasmPaths } = require("@tensorflow/tfjs-backend-wasm") as TfjsWasm;
  setWasmPaths(join(dirname(require.resolve("@tensorflow/tfjs-backend-wasm")), sep));
  // Its threads are web workers, which Node does not support.
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  const restoreListeners = guardProcessListeners();
  try {
    return await tf.setBackend(BACKEND);
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
