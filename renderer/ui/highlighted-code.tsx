import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactElement, ReactNode } from "react";
import styles from "./highlighted-code.module.css";

/** Only these, since all of them would be a megabyte. */
const highlighter = createLowlight({ yaml, json, shell: bash });

type Nodes = ReturnType<typeof highlighter.highlight>["children"];

export type CodeLanguage = "yaml" | "json" | "shell";

/** Longer texts are shown in one colour: each coloured part is an element of the page. */
const MAX_COLOURED_CHARACTERS = 100_000;

/** Ours for what highlight.js finds; what is not listed looks like the text around it. */
const LOOKS: Readonly<Record<string, string | undefined>> = {
  "hljs-attr": styles.key,
  "hljs-variable": styles.key,
  "hljs-string": styles.string,
  "hljs-number": styles.value,
  "hljs-literal": styles.value,
  "hljs-comment": styles.comment,
  "hljs-meta": styles.comment,
  "hljs-keyword": styles.keyword,
  "hljs-built_in": styles.keyword,
};

interface HighlightedCodeProps {
  readonly text: string;
  readonly language: CodeLanguage;
  /** For screen readers. */
  readonly label: string;
}

/** A file to be read, coloured by its syntax; it can be scrolled with the keyboard. */
export function HighlightedCode({ text, language, label }: HighlightedCodeProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section className={styles.code} aria-label={label} tabIndex={0}>
      <pre>
        {text.length > MAX_COLOURED_CHARACTERS ? text : drawn(highlighter.highlight(language, text).children)}
      </pre>
    </section>
  );
}

/** Elements in place of highlight.js's HTML, which the page's content security policy need not allow. */
function drawn(nodes: Nodes): ReactNode[] {
  return nodes.map((node, position) => {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    const names = node.properties.className;
    const look = Array.isArray(names) ? names.map((name) => LOOKS[String(name)]).find(Boolean) : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name, and no state
      <span key={position} className={look}>
        {drawn(node.children)}
      </span>
    );
  });
}
