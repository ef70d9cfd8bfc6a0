import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSubmitOptions } from "../../../../main/cli/submit/options.js";

const folder = mkdtempSync(join(tmpdir(), "tensordeck-submit-options-"));
const script = join(folder, "train.py");
writeFileSync(script, "");
afterAll(() => rmSync(folder, { recursive: true }));

describe("the arguments of submit", () => {
  it("are one worker in the script's folder by default", () => {
    expect(readSubmitOptions([script])).toMatchObject({
      ...{ folder, script: "train.py", args: [], restarts: 0, network: false, passFlags: false },
      tasks: [{ job: "worker", index: 0 }],
    });
  });

  it("leave those after -- to the script", () => {
    const options = readSubmitOptions([script, "--on", "ps:1,worker:1", "--", "--on", "gpu", "--help"]);
    expect(options.args).toEqual(["--on", "gpu", "--help"]);
    expect(options.tasks).toHaveLength(2);
  });

  it("refuse a script that does not exist, and none", () => {
    expect(() => readSubmitOptions([join(folder, "none.py")])).toThrow("There is no script");
    expect(() => readSubmitOptions([])).toThrow("No script was given.");
    expect(() => readSubmitOptions([script, "--restart", "-1"])).toThrow("--restart must be a whole number");
  });
});
