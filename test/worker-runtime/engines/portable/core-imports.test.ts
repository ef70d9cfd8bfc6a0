import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const ENGINE = "worker-runtime/engines/portable";
const TRANSPORT = `${ENGINE}/transport/`;
/** Where the engine and its transport are put together; everything else in the engine's folder is its core. */
const COMPOSITION: ReadonlySet<string> = new Set([`${ENGINE}/portable-server.ts`, `${ENGINE}/host.ts`]);
const SOCKETS = /^(?:@grpc\/.*|node:(?:net|tls|http|http2|https|dgram))$/;

/** The imports of a file, types too: paths within the repository, names of packages otherwise. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(repository, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"([^"]+)"/gm)].map(([, path = ""]) =>
    path.startsWith(".")
      ? relative(repository, resolve(repository, dirname(file), path.replace(/\.js$/, ".ts")))
          .split(sep)
          .join("/")
      : path,
  );
}

/** Each way from a file to a module of sockets or of gRPC, "a -> b -> c"; through a file only the first. */
function waysToSockets(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file) || !existsSync(join(repository, file))) {
    return [];
  }
  seen.add(file);
  return importsOf(file)
    .flatMap((target) => (SOCKETS.test(target) ? [target] : waysToSockets(target, seen)))
    .map((way) => `${file} -> ${way}`);
}

const core = readdirSync(join(repository, ENGINE), { recursive: true, encoding: "utf8" })
  .map((file) => `${ENGINE}/${file.split(sep).join("/")}`)
  .filter((file) => file.endsWith(".ts") && !file.startsWith(TRANSPORT) && !COMPOSITION.has(file));

describe("the core of the portable engine", () => {
  test("imports nothing of the transport: it calls others by interfaces of its own, worker/worker-interface.ts", () => {
    const imports = core.flatMap((file) => importsOf(file).map((target) => `${file} -> ${target}`));
    expect(imports.filter((line) => line.split(" -> ")[1]?.startsWith(TRANSPORT))).toEqual([]);
  });

  test("reaches no sockets and no gRPC, however many files are between", () => {
    const seen = new Set<string>();
    expect(core.flatMap((file) => waysToSockets(file, seen))).toEqual([]);
  });

  test("is told from what does both", () => {
    expect(core).toContain(`${ENGINE}/master/master.ts`);
    expect(waysToSockets(`${ENGINE}/portable-server.ts`).length).toBeGreaterThan(0);
    expect(waysToSockets(`${TRANSPORT}grpc/unary-service.ts`)).toContain(
      `${TRANSPORT}grpc/unary-service.ts -> @grpc/grpc-js`,
    );
  });
});
