/**
 * Stands in for powershell.exe where a process would be started. It runs no PowerShell: it decodes the scripts it is given,
 * keeps the rules that they say, and ends as it was told to.
 */
import { createHash } from "node:crypto";
import type { CommandEnd, RunCommand } from "../../../../../main/network/firewall/command.js";
import { exitCodes, failureCode } from "../../../../../main/network/firewall/windows/exit-codes.js";
import type { WindowsAnswer } from "../../../../../main/network/firewall/windows/inspect-script.js";
import { decodeScript, SCRIPT_OPTIONS } from "../../../../../main/network/firewall/windows/powershell.js";

/** How the prompt and the script end. */
export type Ending = "accept" | "decline" | "no-prompt" | "fail" | "crash" | "wait";

const ended = (code: number, stdout = "", stderr = ""): CommandEnd => ({ code, stdout, stderr });

const NO_RIGHTS = failureCode({ step: "make", cause: "noRights", isUndone: true });

/** The script that an outer one starts with more rights; undefined if it starts none. */
function innerScript(outer: string): string | undefined {
  const list = /\$inner = \[string\]::Join\(\[string\]\[char\]10, @\(\n([\s\S]*?)\n\)\)\n/.exec(outer)?.[1];
  return list
    ?.split(",\n")
    .map((line) => line.slice(1, -1).replace(/(['\u2018\u2019\u201a\u201b])\1/g, "$1"))
    .join("\n");
}

export class WindowsStandIn {
  /** Windows' answers; the rules are those that scripts have made. */
  answer: Omit<WindowsAnswer, "own"> = {
    elevated: false,
    interactive: true,
    adapters: [{ name: "Ethernet", profile: "Private", addresses: ["fe80::5", "192.168.1.20"] }],
    profiles: ["Domain", "Private", "Public"].map((name) => ({
      name,
      enabled: "True",
      inbound: "Block",
      allowed: "True",
      local: "True",
    })),
    blocking: [],
  };
  ending: Ending = "accept";
  /** Scripts that ran with rights. */
  readonly elevated: string[] = [];
  /** How often a prompt was shown. */
  prompts = 0;
  own: WindowsAnswer["own"] = [];

  readonly run: RunCommand = async (program, args, { signal }) => {
    if (!program.endsWith("powershell.exe")) throw new Error(`${program} is not PowerShell.`);
    const encoded = args.at(-1) ?? "";
    if (args.slice(0, -1).join(" ") !== [...SCRIPT_OPTIONS, "-EncodedCommand"].join(" ")) {
      throw new Error(`PowerShell would be started with ${args.join(" ")}.`);
    }
    const script = decodeScript(encoded);
    if (script.includes("ConvertTo-Json")) return ended(0, JSON.stringify({ ...this.answer, own: this.own }));
    const inner = innerScript(script);
    if (inner === undefined) {
      if (!this.answer.elevated) return ended(NO_RIGHTS, "", "Access is denied.");
      return this.#apply(script);
    }
    this.prompts += 1;
    return await this.#ask(inner, signal);
  };

  /** Somebody with the rights pastes a command into a terminal. */
  paste(command: string): void {
    const encoded = /-EncodedCommand ([A-Za-z0-9+/=]+)$/.exec(command)?.[1];
    if (encoded === undefined) throw new Error(`This is no command of Tensordeck: ${command}`);
    this.#apply(decodeScript(encoded));
  }

  #ask(script: string, signal: AbortSignal): Promise<CommandEnd> {
    switch (this.ending) {
      case "accept":
        return Promise.resolve(this.#apply(script));
      case "decline":
        return Promise.resolve(ended(exitCodes.declined));
      case "no-prompt":
        return Promise.resolve(ended(exitCodes.notAsked, "", "No application is associated."));
      case "fail":
        return Promise.resolve(ended(NO_RIGHTS));
      case "crash":
        return Promise.resolve(ended(-1073741510));
      case "wait":
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
    }
  }

  /** Understands just the commands that the scripts are made of, one after the other. */
  #apply(script: string): CommandEnd {
    this.elevated.push(script);
    const expected = /\$hash -cne '([^']*)'/.exec(script)?.[1];
    if (expected !== undefined) {
      const ids = [...new Set(this.answer.blocking.map(({ id }) => id))].sort();
      const found = createHash("sha256").update(ids.join("\n"), "utf16le").digest("base64");
      if (found !== expected) return ended(exitCodes.blockRulesChanged);
      this.answer = { ...this.answer, blocking: [] };
    }
    const rules = script.replaceAll("`\n", "").matchAll(/New-NetFirewallRule ([^|]*)\|/g);
    this.own = [...rules].map(([, text = ""]) => {
      const value = (parameter: string) =>
        new RegExp(`-${parameter} ((?:'[^']*'(?:, )?)+|\\w+)`).exec(text)?.[1] ?? "";
      const list = (parameter: string) => value(parameter).replaceAll("'", "").split(", ");
      return {
        name: (list("Name")[0] ?? "").replace(/-new$/, ""),
        enabled: "True",
        action: value("Action"),
        profile: value("Profile"),
        ports: list("LocalPort"),
        from: list("RemoteAddress"),
      };
    });
    return ended(exitCodes.applied);
  }
}
