import type { ReactElement } from "react";
import { ProblemView } from "../parts/problem-view.js";
import { attempt, dismissNotice, useNotices } from "../stores/app-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { IconButton } from "../ui/icon-button.js";
import rowStyles from "./message-row.module.css";

const words = texts.app.noticeBar;

/** Errors and offers, above the canvas, newest first; each stays until it is closed or replaced. */
export function NoticeBar(): ReactElement | null {
  const notices = useNotices();
  if (notices.length === 0) return null;
  return (
    <div>
      {notices.toReversed().map(({ id, kind, problem, action }) => (
        <div key={id} className={classNames(rowStyles.row, kind === "problem" && rowStyles.problem)}>
          <ProblemView problem={problem} kind={kind} inRow>
            {action ? (
              <Button
                size="small"
                variant={kind === "info" ? "primary" : "standard"}
                onClick={() => attempt(() => action.run())}
              >
                {action.label}
              </Button>
            ) : null}
          </ProblemView>
          <IconButton
            icon="close"
            label={words.dismiss}
            className={rowStyles.close}
            onClick={() => dismissNotice(id)}
          />
        </div>
      ))}
    </div>
  );
}
