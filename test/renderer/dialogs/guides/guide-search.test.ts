import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GUIDES, pathOf, titleOf } from "../../../../main/help/guides.js";
import {
  anchorOf,
  findInGuides,
  linkedFile,
  sectionsOf,
} from "../../../../renderer/dialogs/guides/guide-search.js";
import { repositoryRoot } from "../../../support/find-peers.js";

const guides = GUIDES.map((guide) => {
  const text = readFileSync(join(repositoryRoot, pathOf(guide)), "utf8");
  return { name: guide.name, path: pathOf(guide), title: titleOf(guide, text), text };
});
const found = (words: string) =>
  findInGuides(guides, words).map(({ guide, section }) => `${guide}#${section.anchor}`);

test("anchors are GitHub's", () => {
  expect(anchorOf("A GPU PC computes for a Raspberry Pi")).toBe("a-gpu-pc-computes-for-a-raspberry-pi");
  expect(anchorOf("What differs from TensorFlow's server")).toBe("what-differs-from-tensorflows-server");
});

test.each([
  ["main/help/pi/README.md", "../clusters/README.md#open", "main/help/clusters/README.md", "open"],
  ["SECURITY.md", "main/peers/README.md", "main/peers/README.md", ""],
  ["SECURITY.md", "#firewalls", "SECURITY.md", "firewalls"],
])("a link in %s to %s", (from, href, path, anchor) => {
  expect(linkedFile(from, href)).toEqual({ path, anchor });
});

test("sections end at headings, not at comments in code", () => {
  const text =
    "# T\n\nfirst [link](x.md) `code`\n\n## One\n\n```console\n# no heading\n$ run\n```\n\n### Two\n| a |\n|---|\n";
  expect(sectionsOf(text)).toEqual([
    { anchor: "", heading: "", text: "first link code" },
    { anchor: "one", heading: "One", text: "no heading $ run" },
    { anchor: "two", heading: "Two", text: "a" },
  ]);
});

describe("a search in the guides that there are", () => {
  test("finds a message of TensorFlow where it is explained", () => {
    expect(found("CreateSession still waiting")).toEqual([
      "troubleshooting#a-client-waits-and-nothing-happens",
    ]);
  });

  test("lists headings with the words first", () => {
    expect(found("firewall")[0]).toBe("raspberry-pi#the-firewall");
    expect(found("firewall")).toContain("security#firewalls");
  });

  test("finds an op in the table, with what stands around it", () => {
    const [hit] = findInGuides(guides, "CollectiveReduceV2");
    expect(hit).toMatchObject({ guide: "ops", section: { anchor: "ops" } });
    expect(hit?.excerpt[1]).toBe("CollectiveReduceV2");
  });

  test("finds nothing without words, or where one of them is missing", () => {
    expect(found("  ")).toEqual([]);
    expect(found("firewall zebra")).toEqual([]);
  });
});
