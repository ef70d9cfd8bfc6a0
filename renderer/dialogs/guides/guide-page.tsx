import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import Markdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { Guide } from "../../../main/api/app.js";
import { texts } from "../../texts/texts.js";
import { CopyButton } from "../../ui/copy-button.js";
import { TextLink } from "../../ui/text-button.js";
import styles from "./guide-page.module.css";
import { anchorOf, linkedFile } from "./guide-search.js";

const words = texts.dialogs.guidesDialog;

/** Where the pictures of the repository are in the built window, by their names. */
const PICTURES: Readonly<Record<string, string>> = import.meta.glob("../../../build/screenshots/*.png", {
  eager: true,
  query: "?url",
  import: "default",
});
const PICTURE_FOLDER = "build/screenshots/";

/** A place in a guide; `mark` is a word to be shown there. */
export interface GuidePlace {
  readonly name: string;
  readonly anchor: string;
  readonly mark?: string;
}

interface GuidePageProps {
  readonly guide: Guide;
  /** In Markdown. */
  readonly text: string;
  readonly guides: readonly Guide[];
  readonly place: GuidePlace;
  onOpen(place: GuidePlace): void;
}

/** One guide, at the place that is asked for. */
export function GuidePage({ guide, text, guides, place, onOpen }: GuidePageProps): ReactElement {
  const page = useRef<HTMLElement>(null);
  useEffect(() => {
    if (text !== "" && page.current) show(page.current, place);
  }, [text, place]);
  const components: Components = {
    a: ({ href = "", children }) => {
      if (/^https:/.test(href))
        return (
          <TextLink className={styles.link} href={href}>
            {children}
          </TextLink>
        );
      const { path, anchor } = linkedFile(guide.path, href);
      const target = guides.find((one) => one.path === path);
      // Other links lead to files of the repository, which an installation does not have.
      if (target === undefined) return <span>{children}</span>;
      return (
        <button type="button" className={styles.link} onClick={() => onOpen({ name: target.name, anchor })}>
          {children}
        </button>
      );
    },
    img: ({ src, alt }) => {
      const { path } = linkedFile(guide.path, String(src));
      const picture = path.startsWith(PICTURE_FOLDER) ? PICTURES[`../../../${path}`] : undefined;
      return picture === undefined ? null : <img src={picture} alt={alt} />;
    },
    // The dialog has a title already.
    h1: (props) => <Heading {...props} as="h3" />,
    h2: (props) => <Heading {...props} as="h4" />,
    h3: (props) => <Heading {...props} as="h5" />,
    pre: Code,
    table: ({ children }) => (
      <Scrolling>
        <table>{children}</table>
      </Scrolling>
    ),
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <section ref={page} className={styles.page} aria-label={words.text} tabIndex={0}>
      {text === "" ? (
        words.loading
      ) : (
        <Markdown skipHtml remarkPlugins={[remarkGfm]} components={components}>
          {text}
        </Markdown>
      )}
    </section>
  );
}

interface HeadingProps extends ExtraProps {
  readonly as: "h3" | "h4" | "h5";
  readonly children?: ReactNode;
}

function Heading({ as: Element, node, children }: HeadingProps): ReactElement {
  return <Element data-anchor={anchorOf(plainText(node))}>{children}</Element>;
}

/** A block of code, with a button that copies it: commands only where it shows a terminal. */
function Code({ node, children }: ExtraProps & { readonly children?: ReactNode }): ReactElement {
  const text = plainText(node).trimEnd();
  const commands = text.split("\n").flatMap((line) => /^(?:\w+)?\$ (.*)$/.exec(line)?.[1] ?? []);
  return (
    <div className={styles.code}>
      <Scrolling>
        <pre>{children}</pre>
      </Scrolling>
      <CopyButton className={styles.copy} text={commands.length === 0 ? text : commands.join("\n")} />
    </div>
  );
}

/** A part that may be wider than the page. */
function Scrolling({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <div className={styles.scrolling} role="group" aria-label={words.block} tabIndex={0}>
      {children}
    </div>
  );
}

/** The text of a part of the document, without its elements. */
function plainText(node: ExtraProps["node"]): string {
  const textOf = (part: NonNullable<typeof node>["children"][number]): string =>
    part.type === "text" ? part.value : part.type === "element" ? part.children.map(textOf).join("") : "";
  return node === undefined ? "" : node.children.map(textOf).join("");
}

/** Scrolls to a heading, and to the first text below it that has the word; to the top without either. */
function show(page: HTMLElement, { anchor, mark = "" }: GuidePlace): void {
  const heading = anchor === "" ? null : page.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`);
  const found = mark === "" ? undefined : textWith(page, heading, mark.toLowerCase());
  if (found) found.scrollIntoView({ block: "center" });
  else if (heading) heading.scrollIntoView({ block: "start" });
  else page.scrollTo({ top: 0 });
}

/** The first element after the heading whose own text has the word, in lower case. */
function textWith(page: HTMLElement, heading: Element | null, mark: string): HTMLElement | undefined {
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  if (heading) walker.currentNode = heading;
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    if (text.nodeValue?.toLowerCase().includes(mark)) return text.parentElement ?? undefined;
  }
  return undefined;
}
