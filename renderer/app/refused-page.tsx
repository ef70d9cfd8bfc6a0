import type { ReactElement } from "react";
import { texts } from "../texts/texts.js";
import type { Refusal } from "../transport/session.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import styles from "./whole-page.module.css";

const words = texts.app.refusedPage;

/** Replaces the window when the application refuses access. */
export function RefusedPage({ refusal }: { readonly refusal: Refusal }): ReactElement {
  const { title, text } = words[refusal];
  return (
    <main style={{ display: "contents" }}>
      <div className={styles.page} role="alert">
        <Icon name="prompt" size={24} />
        <h1>{title}</h1>
        <p>{text}</p>
        {refusal === "unreachable" ? (
          <Button variant="primary" onClick={() => window.location.reload()}>
            {texts.common.tryAgain}
          </Button>
        ) : null}
      </div>
    </main>
  );
}
