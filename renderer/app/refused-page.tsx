import type { ReactElement } from "react";
import type { Refusal } from "../transport/session.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import styles from "./whole-page.module.css";

const WORDS: Readonly<Record<Refusal, { readonly title: string; readonly text: string }>> = {
  missing: {
    title: "Open the link that npm start printed",
    text: "This address alone does not open Tensordeck, so that no other page or user of this machine gets in. The link with its token is in the terminal.",
  },
  used: {
    title: "This link was already used",
    text: "Each link opens one window. Use the tab that it opened, choose New window in that tab's menu, or start Tensordeck again for a new link.",
  },
  ended: {
    title: "Tensordeck was restarted",
    text: "This tab belonged to an application that has ended. Open the new link that npm start printed in the terminal.",
  },
  unreachable: {
    title: "Tensordeck does not answer",
    text: "Check whether the terminal that runs npm start is still open, then try again.",
  },
};

/** Replaces the window when the application refuses access. */
export function RefusedPage({ refusal }: { readonly refusal: Refusal }): ReactElement {
  const { title, text } = WORDS[refusal];
  return (
    <main style={{ display: "contents" }}>
      <div className={styles.page} role="alert">
        <Icon name="prompt" size={24} />
        <h1>{title}</h1>
        <p>{text}</p>
        {refusal === "unreachable" ? (
          <Button variant="primary" onClick={() => window.location.reload()}>
            Try again
          </Button>
        ) : null}
      </div>
    </main>
  );
}
