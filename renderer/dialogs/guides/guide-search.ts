/** Links between guides, their sections, and where a word stands in them; pure. */

export interface GuideText {
  readonly name: string;
  readonly title: string;
  /** In Markdown. */
  readonly text: string;
}

export interface GuideSection {
  /** As in the links that lead to it; "" for what stands above the first heading below the title. */
  readonly anchor: string;
  readonly heading: string;
  /** Without Markdown's marks, in one line. */
  readonly text: string;
}

export interface GuideHit {
  readonly guide: string;
  readonly title: string;
  readonly section: GuideSection;
  /** The text around the first word that was looked for; the word itself in the middle. */
  readonly excerpt: readonly [before: string, found: string, after: string];
}

const MAX_HITS = 60;
const EXCERPT_CHARACTERS = 48;

/** The anchor of a heading, as GitHub forms it: "TensorFlow's ops" has "tensorflows-ops". */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** A file of the repository that a link in another one leads to, and the anchor in it. */
export function linkedFile(from: string, href: string): { readonly path: string; readonly anchor: string } {
  // Only the path matters: the address is one of no server.
  const url = new URL(href, `file:///${from}`);
  return { path: url.pathname.slice(1), anchor: decodeURIComponent(url.hash.slice(1)) };
}

/** The sections of a guide, in their order. Lines within blocks of code begin none. */
export function sectionsOf(markdown: string): GuideSection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let code = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) code = !code;
    const [, marks, heading] = (!code && /^(#+) +(.+)$/.exec(line)) || [];
    if (marks === "#") continue;
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: plain(heading), lines: [] });
  }
  return sections.map(({ heading, lines }) => ({
    anchor: anchorOf(heading),
    heading,
    text: plain(lines.join("\n")),
  }));
}

/** The sections in which all of the words stand, those with the words in their heading first. */
export function findInGuides(guides: readonly GuideText[], wanted: string): GuideHit[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const inHeading: GuideHit[] = [];
  const inText: GuideHit[] = [];
  for (const { name, title, text } of guides) {
    for (const section of sectionsOf(text)) {
      const heading = `${title} ${section.heading}`.toLowerCase();
      const all = `${heading} ${section.text.toLowerCase()}`;
      if (!words.every((word) => all.includes(word))) continue;
      const hit: GuideHit = { guide: name, title, section, excerpt: excerptOf(section.text, words) };
      // The title alone says nothing about a section further down.
      const own = section.heading === "" ? heading : section.heading.toLowerCase();
      (words.every((word) => own.includes(word)) ? inHeading : inText).push(hit);
    }
  }
  return [...inHeading, ...inText].slice(0, MAX_HITS);
}

function excerptOf(text: string, words: readonly string[]): GuideHit["excerpt"] {
  const lower = text.toLowerCase();
  const word = words.find((one) => lower.includes(one)) ?? "";
  const start = word === "" ? 0 : lower.indexOf(word);
  const end = start + word.length;
  const from = start <= EXCERPT_CHARACTERS ? 0 : text.indexOf(" ", start - EXCERPT_CHARACTERS) + 1;
  const before = text.slice(Math.min(from, start), start);
  return [
    from > 0 ? `…${before}` : before,
    text.slice(start, end),
    text.slice(end, end + 2 * EXCERPT_CHARACTERS),
  ];
}

/** Markdown as it is read: without pictures, marks and the addresses of links. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, "")
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*\|[-| :]+\|\s*$/gm, "")
    .replace(/<!--.*?-->|[`*|]|^\s*[-#>]+ /gms, " ")
    .replace(/\s+/g, " ")
    .trim();
}
