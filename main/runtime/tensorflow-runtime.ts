/** The engine's finder and installer as the application uses them. */
import { findRuntimes } from "../../worker-runtime/engines/tensorflow/find.js";
import { engineOpList } from "../../worker-runtime/engines/tensorflow/probe.js";
import type { Runtime } from "../api/runtime.js";
import { problem } from "../problems.js";
import type { RuntimeTools } from "./runtime-tools.js";

export function tensorFlowRuntimeTools(): RuntimeTools {
  return {
    find: async (signal) => {
      const [best] = await findRuntimes({ signal });
      if (!best) return undefined;
      const { path, origin, version, gpu } = best;
      return { path, origin, version, gpu };
    },
    offer: async () => ({}),
    install: async () => {
      throw problem("UNIMPLEMENTED", "soon");
    },
    opList: async (runtime: Runtime, signal) => {
      const [best] = await findRuntimes({ path: runtime.path, signal });
      if (!best) throw problem("NOT_FOUND", `${runtime.path} is no longer there.`);
      return await engineOpList(best, { signal });
    },
  };
}
