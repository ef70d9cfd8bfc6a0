import { afterEach, expect, test } from "vitest";
import { loadLibrary, loadLinkedLibrary, ownSymbols } from "../../../worker-runtime/programs/load-library.js";
import { neutralFolder } from "../../../worker-runtime/programs/run-program.js";

const folder = process.cwd();
afterEach(() => process.chdir(folder));

test("a library is loaded by its full path alone", () => {
  for (const name of ["libc.so.6", "./libc.so.6", "lib/libc.so.6", "", "dxgi.dll"]) {
    expect(() => loadLibrary(name)).toThrow("is not the full path of a library");
  }
  expect(() => loadLibrary(`${neutralFolder()}/no-such-library.so`)).toThrow("Failed to load shared library");
});

test.skipIf(process.platform !== "linux")(
  "a library is loaded by its name only where the linker does not look into the user's folder",
  () => {
    expect(() => loadLinkedLibrary("libc.so.6")).toThrow("may only be loaded in /");
    process.chdir(neutralFolder());
    expect(loadLinkedLibrary("libc.so.6").func("int getpid()")()).toBe(process.pid);
  },
);

test.skipIf(process.platform === "win32")("the functions of this process are there without a file", () => {
  expect(ownSymbols().func("int getpid()")()).toBe(process.pid);
});
