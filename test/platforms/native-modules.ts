/** The modules with native parts load, by both ways, and compute. */
import assert from "node:assert/strict";

/** An expression with `koffi` that is true if a function of the C library could be called. */
export const CALLS_C_LIBRARY = 'koffi.load(null).func("int abs(int)")(-7) === 7';
/** ONNX Runtime cannot be loaded without its native binding. */
const HAS_SESSIONS = 'typeof onnx.InferenceSession.create === "function"';

export type NativeModule = "koffi" | "onnxruntime-node";

/**
 * Loads them.
 *
 * @param callsLibrary an expression with `koffi` that is true if it works
 * @param run starts Node with these arguments, where it finds the modules
 */
export async function loadNativeModules(
  modules: readonly NativeModule[],
  callsLibrary: string,
  run: (args: readonly string[]) => Promise<{ readonly code: number | null; readonly output: string }>,
): Promise<void> {
  for (const name of modules) {
    const result = name === "koffi" ? callsLibrary : HAS_SESSIONS;
    const variable = name === "koffi" ? "koffi" : "onnx";
    const programs = {
      require: `const ${variable} = require("${name}"); console.log("RESULT", ${result});`,
      import: `import("${name}").then(({ default: ${variable} }) => console.log("RESULT", ${result}));`,
    };
    for (const [way, program] of Object.entries(programs)) {
      const { code, output } = await run(["-e", program]);
      assert.match(output, /^RESULT true$/m, `${way} ${name}:\n${output}`);
      assert.equal(code, 0, `${way} ${name}:\n${output}`);
    }
  }
}
