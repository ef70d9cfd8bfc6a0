import type { ReactElement } from "react";
import type { InstallProgress } from "../../main/api/runtime.js";
import { runtimeCommands } from "../commands/runtime-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { bytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import rowStyles from "./message-row.module.css";
import styles from "./runtime-banner.module.css";

const words = texts.app.runtimeBanner;

/** Offers TensorFlow's runtime if it is missing: one line with one button, never a blocking dialog. */
export function RuntimeBanner(): ReactElement | null {
  const state = useRuntime((store) => store.state);
  const dismissed = useSettings((store) => store.settings.runtimeBannerDismissed);
  if (state === undefined) return null;
  if (state.progress) return <Progress progress={state.progress} />;
  if (state.runtime) return null;
  // A problem without an offer only explains why nothing can be installed here.
  if (state.problem && state.offer) {
    return (
      <div className={styles.problem}>
        <div className={classNames(rowStyles.row, rowStyles.problem)}>
          <ProblemView problem={state.problem} kind="problem" inRow>
            <CommandButton command={runtimeCommands.retry} size="small" />
            <CommandButton command={runtimeCommands.refresh} size="small" variant="ghost" />
          </ProblemView>
        </div>
      </div>
    );
  }
  if (dismissed) return null;
  return (
    <div className={styles.banner} role="status">
      <Icon name="info" />
      <span className={classNames(textStyles.truncated, textStyles.grow)} title={state.problem?.message}>
        {words.offer}
      </span>
      <CommandButton
        command={state.offer ? runtimeCommands.install : runtimeCommands.refresh}
        icon
        size="small"
      />
      <HideButton />
    </div>
  );
}

function HideButton(): ReactElement {
  return (
    <IconButton
      icon="close"
      label={words.hide}
      onClick={() => attempt(() => changeSettings({ runtimeBannerDismissed: true }))}
    />
  );
}

function Progress({ progress }: { readonly progress: InstallProgress }): ReactElement {
  const { phase, doneBytes, totalBytes } = progress;
  const known = totalBytes > 0;
  return (
    <div className={styles.banner} role="status">
      <Spinner />
      <span>{words.phases[phase]}</span>
      <div
        className={styles.progress}
        role="progressbar"
        aria-label={words.phases[phase]}
        {...(known
          ? {
              "aria-valuenow": Math.round((100 * doneBytes) / totalBytes),
              "aria-valuemin": 0,
              "aria-valuemax": 100,
            }
          : {})}
      >
        <u style={{ width: known ? `${Math.min(100, (100 * doneBytes) / totalBytes).toFixed(1)}%` : "0%" }} />
      </div>
      <span className={textStyles.muted}>
        {known
          ? words.progress({ done: bytesText(doneBytes), total: bytesText(totalBytes) })
          : doneBytes > 0
            ? bytesText(doneBytes)
            : ""}
      </span>
      <CommandButton command={runtimeCommands.cancelInstall} size="small" />
    </div>
  );
}
