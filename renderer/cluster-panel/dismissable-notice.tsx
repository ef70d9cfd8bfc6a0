import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import { ProblemView } from "../parts/problem-view.js";
import { dismiss, noticeKey, useDismissed } from "../stores/dismissed-store.js";
import { IconButton } from "../ui/button.js";

interface DismissableNoticeProps {
  /** What it is about, and since when where that can happen again. */
  readonly where: string;
  readonly problem: Problem;
  readonly className: string;
}

/** What happened, until it is read and closed. */
export function DismissableNotice({
  where,
  problem,
  className,
}: DismissableNoticeProps): ReactElement | null {
  const key = noticeKey(where, problem);
  const read = useDismissed(({ keys }) => keys.has(key));
  if (read) return null;
  return (
    <div className={className}>
      <ProblemView problem={problem} kind="notice" />
      <IconButton icon="close" label="Dismiss" small onClick={() => dismiss(key)} />
    </div>
  );
}
