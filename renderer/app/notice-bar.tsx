import type { ReactElement } from "react";
import { ProblemView } from "../parts/problem-view.js";
import { attempt, dismissNotice, useApp } from "../stores/app-store.js";
import { Button, IconButton } from "../ui/button.js";

/** What went wrong or is offered, above the canvas; the newest first; each stays until it is closed or overtaken. */
export function NoticeBar(): ReactElement | null {
  const notices = useApp((state) => state.notices);
  if (notices.length === 0) return null;
  return (
    <div className="notices">
      {notices.toReversed().map(({ id, kind, problem, action }) => (
        <div key={id} className={`notice-row ${kind}`}>
          <ProblemView problem={problem} kind={kind}>
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
          <IconButton icon="close" label="Dismiss" onClick={() => dismissNotice(id)} />
        </div>
      ))}
    </div>
  );
}
