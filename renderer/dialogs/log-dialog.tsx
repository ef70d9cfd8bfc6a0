import { type ReactElement, useEffect, useRef, useState } from "react";
import type { Result } from "../../main/api/contract.js";
import { attempt, useApp } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { downloadFile } from "../ui/download.js";
import textStyles from "../ui/text.module.css";
import styles from "./log-dialog.module.css";

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
      title="Log of the application"
      width="wide"
      onClose={uiActions.close}
      footer={
        <>
          <Button icon="refresh" onClick={read}>
            Refresh
          </Button>
          <span className={textStyles.grow} />
          <CopyButton text={text} />
          <Button
            icon="download"
            disabled={text === ""}
            onClick={() => downloadFile(new Blob([text], { type: "text/plain" }), "tensordeck.log")}
          >
            Download
          </Button>
          {desktop ? (
            <Button icon="folder" onClick={() => attempt(() => client().call("app.showLog"))}>
              Show in folder
            </Button>
          ) : null}
        </>
      }
    >
      <DialogBody className={styles.log}>
        <p>
          <code>{log?.path}</code> records errors, without tokens, codes and keys.
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <pre ref={view} role="region" aria-label="Newest entries" tabIndex={0}>
          {text === "" && log ? "Nothing has been written yet." : text}
        </pre>
      </DialogBody>
    </Dialog>
  );
}
