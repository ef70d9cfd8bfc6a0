import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { engineOpList } from "../../../worker-runtime/engines/tensorflow/probe.js";

afterEach(() => vi.unstubAllEnvs());

test("a process that fails while it inspects a library is quoted with its error, not with Node's version", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-probe-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const library = join(folder, "libtensorflow.so");
  writeFileSync(library, "");
  vi.stubEnv("NODE_OPTIONS", "--import=data:text/javascript,throw%20new%20Error('Cannot%20find%20it')");
  await expect(
    engineOpList({ path: library, preload: [], gpuPreload: [] }, { env: { XDG_CACHE_HOME: folder } }),
  ).rejects.toThrow(`${library} could not be tried. Its last output: Error: Cannot find it`);
});
