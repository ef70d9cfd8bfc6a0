import type { ReactElement } from "react";
import { isStriped, taskColourVar } from "../theme/task-colour.js";

/** The square of a task's colour; dashed where the task does not exist. */
export function Swatch({ task }: { readonly task: { readonly colour: number } | undefined }): ReactElement {
  const className = task === undefined ? "sw hollow" : isStriped(task) ? "sw striped" : "sw";
  return <i className={className} style={{ "--c": taskColourVar(task) }} aria-hidden="true" />;
}
