import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { locateSignInPrograms } from "../../../main/kubernetes/sign-in-programs.js";
import { findProgram } from "../../../worker-runtime/programs/find-program.js";

const folder = resolve("kubeconfigs");
const installed = process.platform === "win32" ? "ping" : "sh";

describe("a program that a kubeconfig signs in with", () => {
  test("gets its full path, as one of PATH or of the kubeconfig's folder", () => {
    const exec = { command: installed, args: ["token"] };
    const provider = { config: { exec: { command: "./sign-in" }, "cmd-path": installed } };
    locateSignInPrograms({ exec, authProvider: provider }, folder);
    expect(exec).toEqual({ command: findProgram(installed), args: ["token"] });
    expect(provider.config.exec.command).toBe(join(folder, "sign-in"));
    expect(provider.config["cmd-path"]).toBe(findProgram(installed));
  });

  test("is missed with the kubeconfig's own hint", () => {
    const locate = (exec: object) => () => locateSignInPrograms({ exec }, folder);
    expect(locate({ command: "no-such-sign-in" })).toThrow("signs in with no-such-sign-in");
    expect(locate({ command: "no-such-sign-in", installHint: "Ask Ada." })).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ code: "FAILED_PRECONDITION", remedy: "Ask Ada." }),
      }),
    );
  });

  test("that only refreshes a token may be missing", () => {
    const authProvider = { config: { "cmd-path": "no-such-refresh", "access-token": "token" } };
    locateSignInPrograms({ authProvider }, folder);
    expect(authProvider.config["cmd-path"]).toBeUndefined();
  });

  test("is not there where the user has a token or a certificate", () => {
    for (const user of [{}, { exec: null, authProvider: null }, { exec: { command: 7 } }]) {
      expect(() => locateSignInPrograms(user, folder)).not.toThrow();
    }
  });
});
