import { type ReactElement, useState } from "react";
import type { ScriptSurvey } from "../../main/api/scripts.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { bytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import styles from "./script-dialog.module.css";
import { ScriptRow } from "./script-row.js";

const words = texts.scripts.filesSection;

const SHOWN = 5;
const SHOWN_LEFT_OUT = 8;

/** The files that go to the other machines, and those that do not. */
export function FilesSection({ survey }: { readonly survey: ScriptSurvey }): ReactElement {
  const { files, problem } = survey;
  const [all, setAll] = useState(false);
  if (!files) {
    return (
      <ScriptRow label={words.label}>
        {problem ? <ProblemView problem={problem} kind="notice" /> : null}
      </ScriptRow>
    );
  }
  const shown = all ? files.largest : files.largest.slice(0, SHOWN);
  const rest = files.count - shown.length;
  const names = files.leftOut.slice(0, SHOWN_LEFT_OUT).join(", ");
  const leftOutRest = files.leftOutCount - Math.min(SHOWN_LEFT_OUT, files.leftOut.length);
  return (
    <ScriptRow label={words.label}>
      <div className={styles.card}>
        <p className={styles.cardHead}>
          <span className={textStyles.grow}>
            {words.summary({ count: files.count, bytes: bytesText(files.bytes), b: bold })}
          </span>
          {files.largest.length > SHOWN ? (
            <TextButton aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? words.showFewer : words.showAll}
            </TextButton>
          ) : null}
        </p>
        <ul className={styles.files}>
          {shown.map(({ path, bytes }) => (
            <li key={path} className={textStyles.truncated} title={path}>
              <Icon name="file" size={14} /> {path}{" "}
              <span className={textStyles.muted}>{bytesText(bytes)}</span>
            </li>
          ))}
          {rest > 0 ? <li className={textStyles.muted}>{words.more({ count: rest })}</li> : null}
        </ul>
        {names === "" ? null : (
          <p className={textStyles.muted}>
            {leftOutRest > 0 ? words.leftOutMore({ names, count: leftOutRest }) : words.leftOut({ names })}
          </p>
        )}
      </div>
    </ScriptRow>
  );
}
