import type { ReactElement } from "react";
import { useApp, useNotices } from "../stores/app-store.js";
import { useDrafts } from "../stores/drafts-store.js";
import { texts } from "../texts/texts.js";
import { ConnectionBar } from "./connection-bar.js";
import { DraftBar } from "./draft-bar.js";
import styles from "./messages.module.css";
import { NoticeBar } from "./notice-bar.js";

const words = texts.app.messages;

/** The window's messages, over the top of the canvas, so that a message that appears or disappears moves nothing. */
export function Messages(): ReactElement | null {
  const noNotices = useNotices().length === 0;
  const isConnected = useApp(({ connection }) => connection === "connected" || connection === "starting");
  const noDrafts = useDrafts(({ drafts }) => drafts.length === 0);
  if (noNotices && isConnected && noDrafts) return null;
  return (
    <section className={styles.messages} aria-label={words.messages} data-panel-name="messages" tabIndex={-1}>
      <ConnectionBar />
      <DraftBar />
      <NoticeBar />
    </section>
  );
}
