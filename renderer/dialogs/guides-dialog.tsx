import { type ReactElement, useEffect, useRef, useState } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { Guide } from "../../main/api/app.js";
import { attempt } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { TextButton, TextLink } from "../ui/text-button.js";
import styles from "./guides-dialog.module.css";

const words = texts.dialogs.guidesDialog;

/** The guide that a link in another one leads to, "../clusters/README.md"; undefined for links to elsewhere. */
const linkedGuide = (href: string): string | undefined => /^\.\.\/([a-z-]+)\/README\.md$/.exec(href)?.[1];

/** The pages for users, with a list of them. */
export function GuidesDialog({ name }: { readonly name?: string | undefined }): ReactElement {
  const [guides, setGuides] = useState<readonly Guide[]>([]);
  const [chosen, choose] = useState(name);
  const [text, setText] = useState("");
  const page = useRef<HTMLElement>(null);
  useEffect(() => attempt(async () => setGuides(await client().call("app.guides"))), []);
  const shown = chosen ?? guides[0]?.name;
  useEffect(() => {
    if (shown === undefined) return;
    let left = false;
    attempt(async () => {
      const read = await client().call("app.guide", { name: shown });
      if (left) return;
      setText(read);
      page.current?.scrollTo({ top: 0 });
    });
    return () => {
      left = true;
    };
  }, [shown]);
  const components: Components = {
    a: ({ href = "", children }) => {
      const guide = linkedGuide(href);
      if (guide !== undefined) return <TextButton onClick={() => choose(guide)}>{children}</TextButton>;
      return /^https:/.test(href) ? <TextLink href={href}>{children}</TextLink> : <span>{children}</span>;
    },
    // Pictures of the window are for those who read the guide elsewhere.
    img: () => null,
    // The dialog has a title already.
    h1: ({ children }) => <h3 className={styles.title}>{children}</h3>,
    h2: ({ children }) => <h4>{children}</h4>,
  };
  return (
    <Dialog title={words.title} width="table" onClose={uiActions.close}>
      <DialogBody className={styles.guides}>
        <nav aria-label={words.list}>
          {guides.map((guide) => (
            <button
              key={guide.name}
              type="button"
              aria-current={guide.name === shown ? "page" : undefined}
              onClick={() => choose(guide.name)}
            >
              {guide.title}
            </button>
          ))}
        </nav>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <section ref={page} aria-label={words.text} tabIndex={0}>
          {text === "" ? (
            words.loading
          ) : (
            <Markdown remarkPlugins={[remarkGfm]} components={components}>
              {text}
            </Markdown>
          )}
        </section>
      </DialogBody>
    </Dialog>
  );
}
