import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../support/peers.js";

interface BuilderConfiguration {
  readonly asarUnpack: readonly string[];
  readonly extraResources: readonly { readonly from: string; readonly to: string }[];
  readonly linux: { readonly target: unknown };
  readonly mac: { readonly target: unknown };
  readonly win: { readonly target: unknown };
}
/** The part of electron-builder's own library that reads and checks its configuration; it comes without such types. */
interface ConfigLibrary {
  getConfig(folder: string, file: null, overrides: null, metadata: unknown): Promise<BuilderConfiguration>;
  validateConfiguration(configuration: BuilderConfiguration, log: unknown): Promise<void>;
}

const require = createRequire(join(repositoryRoot, "package.json"));

test("electron-builder accepts its configuration, and tasks find their files outside of the archive", async () => {
  const library = require("app-builder-lib/out/util/config/config.js") as ConfigLibrary;
  const { DebugLogger } = require("builder-util") as { DebugLogger: new (enabled: boolean) => unknown };
  const { Lazy } = require("lazy-val") as { Lazy: new (create: () => Promise<unknown>) => unknown };
  const metadata = new Lazy(async () => require("./package.json") as unknown);
  const configuration = await library.getConfig(repositoryRoot, null, null, metadata);
  await library.validateConfiguration(configuration, new DebugLogger(false));

  expect(configuration.linux.target).toEqual(["AppImage", "deb"]);
  expect(configuration.mac.target).toEqual(["dmg"]);
  expect(configuration.win.target).toEqual(["nsis"]);
  expect(configuration.asarUnpack).toEqual(
    expect.arrayContaining(["package.json", "build/bin/**", "build/out/**", "node_modules/**"]),
  );
  // Where the application looks for the Node that runs its tasks.
  expect(configuration.extraResources.map((resource) => resource.to)).toContain("node");
});
