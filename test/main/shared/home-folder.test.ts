import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeFolder } from "../../../main/shared/home-folder.js";
import { neutralFolder } from "../../../worker-runtime/programs/run-program.js";

test("an account without a home folder has one of the system's", () => {
  expect(homeFolder()).toBe(homedir());
  expect(homeFolder(tmpdir())).toBe(tmpdir());
  for (const home of ["", "home", ".", join(tmpdir(), "no-such-folder"), process.execPath]) {
    expect(homeFolder(home)).toBe(neutralFolder());
  }
});
