/** The modules with native parts load, by both ways, and compute. */
import assert from "node:assert/strict";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const KOFFI = 'koffi.load(null).func("int abs(int)")(-7)';
const ONNX = "typeof onnx.InferenceSession.create";

const PROGRAMS: Readonly<Record<string, string>> = {
  "require koffi": `const koffi = require("koffi"); console.log("RESULT", ${KOFFI});`,
  "import koffi": `import("koffi").then(({ default: koffi }) => console.log("RESULT", ${KOFFI}));`,
  "require onnxruntime-node": `const onnx = require("onnxruntime-node"); console.log("RESULT", ${ONNX});`,
  "import onnxruntime-node": `import("onnxruntime-node").then((onnx) => console.log("RESULT", ${ONNX}));`,
};

/** Koffi calls a function of the C library; ONNX Runtime has its native binding, without which it cannot be loaded. */
export function nativeModules(machine: EmulatedMachine, modules: readonly string[]): LinuxCheck {
  return {
    name: `${modules.join(" and ")} load, by require and import`,
    form: "short",
    run: async () => {
      for (const [name, program] of Object.entries(PROGRAMS)) {
        if (!modules.some((module) => name.endsWith(` ${module}`))) continue;
        const { code, output } = await machine.run("node", ["-e", program], { cwd: "/tensordeck" });
        assert.match(output, /^RESULT (7|function)$/m, `${name}:\n${output}`);
        assert.equal(code, 0, `${name}:\n${output}`);
      }
    },
  };
}
