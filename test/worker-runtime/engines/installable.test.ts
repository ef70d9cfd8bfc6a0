/** The advice where there is no TensorFlow library, by the system. */
import { expect, test } from "vitest";
import {
  libraryAdvice,
  type System,
  systemProblem,
} from "../../../worker-runtime/engines/tensorflow/installable.js";

const linux = (arch: string, glibc = true): System => ({ platform: "linux", arch, glibc });

test.each<System>([
  linux("x64"),
  linux("arm64"),
  { platform: "win32", arch: "x64", glibc: false },
  { platform: "darwin", arch: "arm64", glibc: false },
])("`runtime install` is advised on %o, which has wheels", (system) => {
  expect(systemProblem(system)).toBeUndefined();
  expect(libraryAdvice(system)).toContain("`tensordeck runtime install`");
});

test.each<System>([
  linux("arm"),
  linux("ia32"),
  linux("arm64", false),
  { platform: "win32", arch: "arm64", glibc: false },
])("it is not on %o, where it refuses", (system) => {
  expect(systemProblem(system)?.message).toMatch(/portable engine/);
  expect(libraryAdvice(system)).not.toContain("runtime install");
  expect(libraryAdvice(system)).toMatch(/--library or TENSORDECK_LIBTENSORFLOW, or use the portable engine/);
});
