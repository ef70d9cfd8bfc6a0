/** Packages that npm may leave out when it installs: the build must not need it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoryRoot } from "../support/peers.js";

/** Type-checks the sources of worker-runtime that load ONNX Runtime, with the package found at the paths alone. */
function check(paths: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(repositoryRoot, "worker-runtime");
  const options = {
    ...{ rootDir: repositoryRoot, noEmit: true, composite: false, incremental: false, declarationMap: false },
    typeRoots: [join(repositoryRoot, "node_modules/@types")],
    paths: { "onnxruntime-node": paths },
  };
  const regions = join(source, "engines/portable/regions");
  const config = {
    extends: join(source, "tsconfig.json"),
    compilerOptions: options,
    include: [],
    exclude: [],
    files: [join(regions, "device-thread.ts"), join(source, "engines/portable/gpu/choose-gpus.ts")],
    references: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
}

test("the build does without ONNX Runtime, which npm leaves out where its download fails", () => {
  const own = join(repositoryRoot, "worker-runtime/engines/portable/regions/onnxruntime-node.d.ts");
  expect(check([own])).toMatchObject({ status: 0, stdout: "" });
});
