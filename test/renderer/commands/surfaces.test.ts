import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const renderer = fileURLToPath(new URL("../../../renderer", import.meta.url));
/** Layers below the surfaces; what they call among themselves is no rule or label of a surface. */
const BELOW: ReadonlySet<string> = new Set([
  ...[
    "actions",
    "cluster",
    "commands",
    "document",
    "kernels",
    "placement",
    "stores",
    "theme",
    "transport",
    "ui",
    "viewport",
  ],
]);

/** Surfaces that may call what a command does, and why it is not the command that they run. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // A form adds the tasks that were filled in.
  "cluster-panel/add-tasks-form.tsx": ["addTasksIfAllowed"],
  // The dialogs that the commands open.
  "dialogs/install-dialog.tsx": ["installRuntime"],
  "dialogs/settings-dialog.tsx": ["changeSettings"],
  // Tries again with the role that was chosen in the dialog.
  "pairing/pairing-dialog.tsx": ["startPairing"],
  // Texts that were filled in; buttons of a task's row in the dialog, of which there is no other.
  "kubernetes/connect-form.tsx": ["connectKubernetes"],
  "kubernetes/cluster-view.tsx": ["deleteKubernetesCluster", "endForward", "forwardPod", "scaleJob"],
  "cluster-table/export-cluster-dialog.tsx": ["deployToKubernetes"],
  // Puts a message away, which has no place in a menu.
  "app/runtime-banner.tsx": ["changeSettings"],
  // Nobody asks for it: the window begins, or the engine has changed.
  "app/follow-application.ts": ["loadOps"],
  "app/start.ts": ["loadOps"],
};

const read = (file: string) => readFileSync(join(renderer, file), "utf8");
const files = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file));

/** Names that a file imports from the folders of actions and stores. */
function importsOf(file: string): string[] {
  const statements = read(file).matchAll(/^import \{([^}]*)\} from "\.\.\/(?:actions|stores)\/[^"]+";/gm);
  return [...statements]
    .flatMap(([, names = ""]) => names.split(",").map((name) => name.trim()))
    .filter(Boolean);
}

/** Functions of actions and stores that ask the application for something, and so may fail. */
const asking = new Set(
  files
    .filter((file) => /^(actions|stores)\//.test(file))
    .flatMap((file) => [
      ...read(file).matchAll(/^export (?:async )?function (\w+)\((?:[^)]|\)(?!: ))*\): Promise</gm),
    ])
    .map(([, name = ""]) => name),
);

/** Any text may be copied wherever it stands. */
const reserved = new Set(
  files
    .filter((file) => /^commands\/.*-commands\.ts$/.test(file))
    .flatMap(importsOf)
    .filter((name) => asking.has(name) && name !== "copyText"),
);

describe("surfaces", () => {
  it("leave to commands what commands do, so that no rule or label of it stands twice", () => {
    const found = files
      .filter((file) => !BELOW.has(file.split("/")[0] ?? ""))
      .map((file) => [file, importsOf(file).filter((name) => reserved.has(name))] as const)
      .filter(([file, names]) => names.some((name) => !ALLOWED[file]?.includes(name)));
    expect(found).toEqual([]);
  });

  it("are held to what the commands call now", () => {
    expect([...reserved]).toEqual(
      expect.arrayContaining(["addWorker", "startRun", "openExample", "checkRoutes", "openFirewall"]),
    );
    for (const [file, names] of Object.entries(ALLOWED)) {
      expect(importsOf(file), file).toEqual(expect.arrayContaining([...names]));
    }
  });
});
