import { type ReactElement, useEffect, useRef, useState } from "react";
import type { Result } from "../../main/api/contract.js";
import { attempt, useApp } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { downloadFile } from "../ui/download.js";
import { code } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import styles from "./log-dialog.module.css";

const words = texts.dialogs.logDialog;

/** The application's log: its newest entries, to be read, copied into a report, or taken along as a file. */
export function LogDialog(): ReactElement {
  const [log, setLog] = useState<Result<"app.log">>();
  const desktop = useApp((state) => state.info?.host === "electron");
  const read = () => attempt(async () => setLog(await client().call("app.log")));
  useEffect(read, []);
  const view = useRef<HTMLPreElement>(null);
  // The newest entry is what one looks for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after every reading
  useEffect(() => {
    view.current?.scrollTo({ top: view.current.scrollHeight });
  }, [log]);
  const text = log?.text ?? "";
  return (
    <Dialog
      title={words.title}
      width="wide"
      onClose={uiActions.close}
      footer={
        <>
          <Button icon="refresh" onClick={read}>
            {words.refresh}
          </Button>
          <span className={textStyles.grow} />
          <CopyButton text={text} />
          <Button
            icon="download"
            disabled={text === ""}
            onClick={() => downloadFile(new Blob([text], { type: "text/plain" }), "tensordeck.log")}
          >
            {words.download}
          </Button>
          {desktop ? (
            <Button icon="folder" onClick={() => attempt(() => client().call("app.showLog"))}>
              {words.showInFolder}
            </Button>
          ) : null}
        </>
      }
    >
      <DialogBody className={styles.log}>
        <p>{words.explanation({ path: log?.path ?? "", code })}</p>
        {/* biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <pre ref={view} role="region" aria-label={words.newestEntries} tabIndex={0}>
          {text === "" && log ? words.empty : text}
        </pre>
      </DialogBody>
    </Dialog>
  );
}
