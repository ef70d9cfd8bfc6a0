import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import { ProblemView } from "../parts/problem-view.js";
import { dismiss, noticeKey, useDismissed } from "../stores/dismissed-store.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { NoticeFrame, type NoticeFrameProps } from "./notice-frame.js";

const words = texts.clusterPanel.dismissableNotice;

interface DismissableNoticeProps {
  /** Its subject, and since when, if it can happen again. */
  readonly where: string;
  readonly problem: Problem;
  readonly at: NoticeFrameProps["at"];
}

/** A notice of an event, until it is read and closed. */
export function DismissableNotice({ where, problem, at }: DismissableNoticeProps): ReactElement | null {
  const key = noticeKey(where, problem);
  const read = useDismissed(({ keys }) => keys.has(key));
  if (read) return null;
  return (
    <NoticeFrame at={at}>
      <ProblemView problem={problem} kind="notice" />
      <IconButton icon="close" label={words.dismiss} small onClick={() => dismiss(key)} />
    </NoticeFrame>
  );
}
