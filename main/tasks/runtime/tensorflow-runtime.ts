/** TensorFlow's finder and installer as the application uses them. */
import { nvidiaGpus } from "../../../worker-runtime/engines/nvidia.js";
import { findRuntimes, searchRuntimes } from "../../../worker-runtime/engines/tensorflow/find.js";
import { installOffer, installRuntime } from "../../../worker-runtime/engines/tensorflow/install.js";
import { engineOpList } from "../../../worker-runtime/engines/tensorflow/probe.js";
import { defined, problem, problemOf } from "../../shared/problems.js";
import type { RuntimeTools } from "./runtime-tools.js";

export function tensorFlowRuntimeTools(): RuntimeTools {
  return {
    find: async (signal) => {
      const { found, rejected } = await searchRuntimes({ signal });
      const [best] = found;
      if (best) {
        const { path, origin, version, gpu } = best;
        return { runtime: { path, origin, version, gpu } };
      }
      const [unusable] = rejected;
      if (!unusable) return {};
      return {
        problem: {
          code: "FAILED_PRECONDITION",
          message: `The TensorFlow library ${unusable.path} (${unusable.origin}) cannot be used.`,
          reason: unusable.reason,
          remedy: "Install the runtime, or name another library with TENSORDECK_LIBTENSORFLOW.",
        },
      };
    },
    offer: async (found, signal) => {
      if (found && (found.gpu || (await nvidiaGpus(signal)).length === 0)) return {};
      const offered = await installOffer({ signal });
      if ("problem" in offered) return found ? {} : { problem: problemOf(offered.problem) };
      if (found && !offered.gpu) return {};
      const { version, downloadBytes, installedBytes, freeBytes, gpu, note } = offered;
      return { offer: defined({ version, downloadBytes, installedBytes, freeBytes, gpu, note }) };
    },
    install: async (onProgress, signal) => {
      await installRuntime({ onProgress, signal });
    },
    opList: async (runtime, signal) => {
      const [library] = await findRuntimes({ path: runtime.path, signal });
      if (!library) throw problem("NOT_FOUND", `${runtime.path} is no longer there.`);
      return await engineOpList(library, { signal });
    },
  };
}
