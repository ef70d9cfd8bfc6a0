/**
 * The packages that an agent and a portable task load when they start: each is memory on every small machine. What is rarely
 * used is imported when it is used.
 */
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { repositoryRoot } from "../support/peers.js";
import { packageOf } from "./support/named-modules.js";

const built = join(repositoryRoot, "build", "out");

/** The packages that these modules and all that they import at once are of. */
function packagesOf(...entries: readonly string[]): string[] {
  const modules = new Set(entries.map((entry) => join(built, entry)));
  const packages = new Set<string>();
  for (const file of modules) {
    const { module } = parseSync(file, readFileSync(file, "utf8"));
    const requested = [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries: names }) =>
        names.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ];
    for (const name of requested) {
      if (name.startsWith(".")) modules.add(join(dirname(file), name));
      else if (!isBuiltin(name)) packages.add(packageOf(name));
    }
  }
  return [...packages].sort();
}

test("an agent loads no client of Kubernetes, reader of YAML or Keras' files, or maker of certificates", () => {
  expect(packagesOf("main/application.js", "main/hosts/headless/headless-process.js")).toEqual([
    ...["@bufbuild/protobuf", "@grpc/grpc-js", "@msgpack/msgpack", "bonjour-service", "fflate", "ignore"],
    ...["ws", "zod"],
  ]);
});

test("a portable task loads what it speaks with, and no engine of another", () => {
  expect(packagesOf("worker-runtime/cli/worker.js", "worker-runtime/engines/portable/host.js")).toEqual([
    ...["@bufbuild/protobuf", "@grpc/grpc-js", "fflate"],
  ]);
});
