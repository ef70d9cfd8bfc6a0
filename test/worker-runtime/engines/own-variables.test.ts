import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { absoluteVariables } from "../../../worker-runtime/engines/own-variables.js";

test("relative paths in Tensordeck's variables belong to the folder in which they were set", () => {
  const folder = resolve("documents");
  const env = {
    TENSORDECK_DATA_DIR: "data",
    TENSORDECK_LIBTENSORFLOW: resolve("lib"),
    TENSORDECK_NODE: join(".", "node", "bin"),
    OTHER: "other",
  };
  expect(absoluteVariables(env, folder)).toEqual({
    TENSORDECK_DATA_DIR: join(folder, "data"),
    TENSORDECK_LIBTENSORFLOW: resolve("lib"),
    TENSORDECK_NODE: join(folder, "node", "bin"),
  });
});

test("variables that are not set, or name a program that is not installed, stay as they are", () => {
  expect(absoluteVariables({ TENSORDECK_DATA_DIR: "", TENSORDECK_NODE: "no-such-node" })).toEqual({});
});
