import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The one parser, and the message grammar below it: "From <task>:" is read before anything knows of devices. */
const ALLOWED = ["worker-runtime/cluster/device-name.ts", "worker-runtime/protocol/status.ts"];

/** A regular expression that takes a device name apart, or a template that puts one together. */
const OWN_GRAMMAR =
  /\\\/(?:job|replica|task|device):|(?:job|replica|task|device):\(|`[^`]*\/(?:job|task):\$\{/;

function offences(text: string): string[] {
  return text.split("\n").filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line) && OWN_GRAMMAR.test(line));
}

describe("device names", () => {
  test("are taken apart and put together by device-name.ts alone", () => {
    const found = ["main", "renderer", "worker-runtime"].flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
        .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
        .filter((file) => /\.tsx?$/.test(file) && !ALLOWED.includes(file))
        .flatMap((file) =>
          offences(readFileSync(`${root}/${file}`, "utf8")).map((line) => `${file}: ${line.trim()}`),
        ),
    );
    expect(found).toEqual([]);
  });

  test("are noticed in a regular expression and in a template, not in a comment or a fixed name", () => {
    expect(offences("const m = /^\\/job:([a-z]+)/.exec(device);")).toHaveLength(1);
    expect(offences("const part = /device:([A-Za-z_]+:\\d+)/.exec(device);")).toHaveLength(1);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    expect(offences("return `/job:${job}/task:${index}`;")).toHaveLength(1);
    expect(offences('/** "/job:worker/task:0" */\nconst FIRST = "/job:worker/task:0";')).toEqual([]);
  });
});
