import { configDefaults, defineConfig } from "vitest/config";
import { noDisplayReason } from "./build/lib/display.mjs";
import { findElectron } from "./build/lib/electron-binary.mjs";

// Electron's program is no npm package: its test is there only where the program and a display are.
const electron = noDisplayReason() === undefined ? findElectron() : undefined;

export default defineConfig({
  test: {
    // Node has one of its own since 25, undefined unless it is given a file, which would hide the test DOM's.
    execArgv: "localStorage" in globalThis ? ["--no-webstorage"] : [],
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    exclude: [...configDefaults.exclude, ...(electron === undefined ? ["test/e2e/electron.test.ts"] : [])],
    env: {
      // Tests announce nothing on the real network; those with networks of their own say otherwise.
      TENSORDECK_NETWORK: "off",
      // By itself TensorFlow uses oneDNN on some processors and not on others, and then refuses some convolutions and pools.
      TF_ENABLE_ONEDNN_OPTS: "1",
      ...(electron === undefined ? {} : { TENSORDECK_TEST_ELECTRON: electron }),
    },
    // These only end what hangs: a busy machine, which starts servers and Pythons in a test, takes many times as long as
    // an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: [
      "test/support/temporary-folder.ts",
      "test/support/preloaded-tensorflow/preloaded-tensorflow.ts",
    ],
    pool: "forks",
    maxWorkers: 3,
  },
});
