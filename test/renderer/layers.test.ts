import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const renderer = fileURLToPath(new URL("../../renderer", import.meta.url));

/** The folders of renderer/, lowest first. A folder imports itself and folders above it in this list, none beside it. */
const LAYERS: readonly (readonly string[])[] = [
  ["theme", "texts"],
  ["ui"],
  ["document"],
  ["kernels", "cluster", "layout"],
  ["placement"],
  ["transport"],
  ["stores"],
  ["viewport"],
  ["actions"],
  ["commands"],
  ["parts"],
  [
    "canvas",
    "cluster-panel",
    "cluster-table",
    "dialogs",
    "dock",
    "firewall",
    "inspector",
    "kubernetes",
    "ops-panel",
    "pairing",
    "placement-panel",
    "scripts",
    "tour",
  ],
  ["app"],
];

/** The other top-level folders from which a folder may import; none if left out. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  theme: [],
  texts: [],
  ui: [],
};
const OUTSIDE_ELSEWHERE = ["main/api", "protos/generated", "worker-runtime"];

const level = (folder: string) => LAYERS.findIndex((folders) => folders.includes(folder));

/** The fault of an import of renderer/; undefined where it keeps to the layers. Paths are relative to renderer/. */
function fault(from: string, to: string): string | undefined {
  const [source = ""] = from.split("/");
  if (to.startsWith("../")) {
    const allowed = OUTSIDE[source] ?? OUTSIDE_ELSEWHERE;
    const path = to.slice("../".length);
    return allowed.some((folder) => path.startsWith(`${folder}/`)) ? undefined : `${from} imports ${path}`;
  }
  const [target = ""] = to.split("/");
  if (source === target || level(target) < level(source)) return undefined;
  return `${from} imports ${to}`;
}

/** Style sheets among them: a class belongs to a layer as a component does. */
function importsOf(file: string, { withTypes = true } = {}): string[] {
  const source = readFileSync(join(renderer, file), "utf8");
  const text = withTypes ? source : source.replaceAll(/^import type [^;]*;/gm, "");
  return [...text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm)]
    .map(([, path = ""]) => path)
    .map((path) =>
      relative(renderer, resolve(renderer, dirname(file), path))
        .split(sep)
        .join("/"),
    );
}

const files = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file) && file !== "main.ts");

describe("the layers of the window", () => {
  it("have every folder in one of them", () => {
    const folders = new Set(files.map((file) => file.split("/")[0]));
    expect([...folders].sort()).toEqual(LAYERS.flat().sort());
  });

  it("are imported from above only", () => {
    expect(files.flatMap((file) => importsOf(file).flatMap((target) => fault(file, target) ?? []))).toEqual(
      [],
    );
  });

  it("keep texts out of workers, which would load the whole catalogue", () => {
    const workers = ["placement/placement-worker.ts", "layout/elk-worker.ts"];
    const reached = new Set(workers);
    for (const file of reached) {
      for (const target of importsOf(file, { withTypes: false })) {
        const source = target.replace(/\.js$/, ".ts");
        if (files.includes(source)) reached.add(source);
      }
    }
    expect([...reached].filter((file) => file.startsWith("texts/"))).toEqual([]);
    expect(reached).toContain("placement/search.ts");
  });

  it("refuse a store in a control, one feature in another, and the application's own code anywhere", () => {
    expect(fault("ui/menu.tsx", "stores/app-store.js")).toBeDefined();
    expect(fault("dock/dock.tsx", "canvas/index.js")).toBeDefined();
    expect(fault("ui/menu.tsx", "../main/api/problem.js")).toBeDefined();
    expect(fault("dock/dock.tsx", "inspector/port-row.module.css")).toBeDefined();
    expect(fault("stores/run-store.ts", "../main/runs/runs.js")).toBeDefined();
    expect(fault("dock/dock.tsx", "stores/run-store.js")).toBeUndefined();
    expect(importsOf("app/app.tsx")).toContain("canvas/index.js");
    expect(importsOf("app/app.tsx")).toContain("app/dialogs.js");
    expect(importsOf("app/app.tsx")).toContain("app/app.module.css");
  });
});
