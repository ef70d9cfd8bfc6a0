import { describe, expect, it } from "vitest";
import { EMPTY_RUN_CONFIG, type RunConfigs } from "../../../renderer/document/model.js";
import { readRunConfigs, writeRunConfigs } from "../../../renderer/document/run-config-file.js";
import { RUN_SECTION, readSettings, writeSection } from "../../../worker-runtime/graph/document-settings.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const feed = (content: string, column: string) => ({
  ...{ kind: "content" as const, name: "table.csv", column, bytes: bytes(content) },
});
const configs: RunConfigs = {
  runConfig: { ...EMPTY_RUN_CONFIG, feeds: { "x:0": feed("a,b", "a"), "y:0": feed("a,b", "b") } },
  otherRuns: [
    {
      ...EMPTY_RUN_CONFIG,
      name: "other",
      feeds: { "x:0": feed("a,b", "a"), "z:0": feed("else", "a"), "n:0": { kind: "literal", text: "3" } },
    },
  ],
  defaultRun: EMPTY_RUN_CONFIG.name,
};

describe("run configurations in a document", () => {
  it("hold the content of a file once, whatever feeds and configurations have it", () => {
    const written = writeRunConfigs(undefined, configs);
    const text = JSON.stringify(readSettings(written)?.[RUN_SECTION]);
    expect(text.split(btoa("a,b"))).toHaveLength(2);
    expect(text.split(btoa("else"))).toHaveLength(2);
    const read = readRunConfigs(written);
    expect(read).toEqual(configs);
    const [one, other] = [read.runConfig.feeds["x:0"], read.otherRuns[0]?.feeds["x:0"]];
    expect(one?.kind === "content" && other?.kind === "content" && one.bytes === other.bytes).toBe(true);
  });

  it("keep how often checkpoints are saved, and forget it with the setting", () => {
    const saving = { ...EMPTY_RUN_CONFIG, checkpoints: { every: 100, keep: 3 } };
    const written = writeRunConfigs(undefined, { ...configs, runConfig: saving, otherRuns: [] });
    expect(readRunConfigs(written).runConfig).toEqual(saving);
    const again = writeRunConfigs(written, { ...configs, runConfig: EMPTY_RUN_CONFIG, otherRuns: [] });
    expect(readRunConfigs(again).runConfig).toEqual(EMPTY_RUN_CONFIG);
  });

  it("are written again without what no feed has any more", () => {
    const written = writeRunConfigs(undefined, configs);
    const without = { ...configs, runConfig: { ...EMPTY_RUN_CONFIG, steps: 2 }, otherRuns: [] };
    const again = writeRunConfigs(written, without);
    expect(readSettings(again)?.[RUN_SECTION]).not.toHaveProperty("contents");
    expect(readRunConfigs(again)).toEqual(without);
  });

  it("of documents saved earlier have their contents with the feeds, also beside shared ones", () => {
    const stored = (base64: string) => ({ kind: "content", name: "t.csv", base64: btoa(base64) });
    const collection = writeSection(undefined, RUN_SECTION, {
      feeds: {
        "x:0": stored("old"),
        "y:0": stored("old"),
        "z:0": { kind: "content", name: "t.csv", content: "1" },
      },
      contents: { "1": btoa("shared") },
    });
    const { feeds } = readRunConfigs(collection).runConfig;
    const old = { kind: "content", name: "t.csv", bytes: bytes("old") };
    expect(feeds).toEqual({ "x:0": old, "y:0": old, "z:0": { ...old, bytes: bytes("shared") } });
  });
});
