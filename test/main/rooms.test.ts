import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../main", import.meta.url));

/** The rooms of main/, lowest first, with the files that compose them. A room imports itself and those above it here. */
const ROOMS = [
  "api",
  "shared",
  "storage",
  "help",
  "settings",
  "documents",
  "machine",
  "tasks",
  "scripts",
  "network",
  "peers",
  "cluster",
  "runs",
  "submit",
  "kubernetes",
  "app",
  "engine.ts",
  "application.ts",
  "hosts",
  "cli",
];

/** Folders beside main/ that it imports from. The contract is shared with the window and imports nothing of this program. */
const OUTSIDE = ["protos/generated", "worker-runtime"];

const roomOf = (path: string) => (path.split("/")[0] ?? "").replace(/\.js$/, ".ts");

/** The fault of an import of main/; undefined where it keeps to the order. Paths are relative to main/. */
function fault(from: string, to: string): string | undefined {
  const [source, target] = [roomOf(from), roomOf(to)];
  if (to.startsWith("../")) {
    const path = to.slice("../".length);
    const isAllowed = source !== "api" && OUTSIDE.some((folder) => path.startsWith(`${folder}/`));
    return isAllowed ? undefined : `${from} imports ${path}`;
  }
  const isKept = source === target || ROOMS.indexOf(target) < ROOMS.indexOf(source);
  return isKept && ROOMS.includes(target) ? undefined : `${from} imports ${to}`;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(main, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm)].map(([, path = ""]) =>
    relative(main, resolve(main, dirname(file), path))
      .split(sep)
      .join("/"),
  );
}

const files = readdirSync(main, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => /\.c?ts$/.test(file));

describe("the rooms of the application", () => {
  it("have every file in one of them", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...ROOMS].sort());
  });

  it("are imported from above only", () => {
    expect(files.flatMap((file) => importsOf(file).flatMap((target) => fault(file, target) ?? []))).toEqual(
      [],
    );
  });

  it("refuse a higher room, the application in a room, the window, and anything outside in the contract", () => {
    expect(fault("peers/room.ts", "cluster/room.js")).toBeDefined();
    expect(fault("runs/room.ts", "application.js")).toBeDefined();
    expect(fault("shared/problems.ts", "../renderer/app/app.js")).toBeDefined();
    expect(fault("api/runs.ts", "../worker-runtime/graph/graph.js")).toBeDefined();
    expect(fault("cluster/room.ts", "peers/room.js")).toBeUndefined();
    expect(importsOf("application.ts")).toContain("cluster/room.js");
  });
});
