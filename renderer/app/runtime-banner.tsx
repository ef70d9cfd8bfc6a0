import type { ReactElement } from "react";
import type { InstallProgress } from "../../main/api/runtime.js";
import { runtimeCommands } from "../commands/runtime-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { IconButton } from "../ui/button.js";
import { bytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

/** What TensorFlow's runtime would give where it is missing: one line with one button, never a dialog in the way. */
export function RuntimeBanner(): ReactElement | null {
  const state = useRuntime((store) => store.state);
  const dismissed = useSettings((store) => store.settings.runtimeBannerDismissed);
  if (state === undefined) return null;
  if (state.progress) return <Progress progress={state.progress} />;
  if (state.runtime) return null;
  // A problem without an offer says only why nothing can be installed here.
  if (state.problem && state.offer) {
    return (
      <div className="notices">
        <div className="notice-row problem">
          <ProblemView problem={state.problem} kind="problem">
            <CommandButton command={runtimeCommands.retry} size="small" />
            <CommandButton command={runtimeCommands.refresh} size="small" variant="ghost" />
          </ProblemView>
        </div>
      </div>
    );
  }
  if (dismissed) return null;
  return (
    <div className="banner" role="status">
      <Icon name="info" />
      <span className="ell grow" title={state.problem?.message}>
        Tasks run on the portable engine, which needs no installation. TensorFlow's runtime has every op, more
        speed, and CUDA for NVIDIA GPUs.
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
      label="Hide this message"
      onClick={() => attempt(() => changeSettings({ runtimeBannerDismissed: true }))}
    />
  );
}

const PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
  checking: "Checking Python and disk space",
  downloading: "Downloading the TensorFlow runtime",
  unpacking: "Unpacking the TensorFlow runtime",
  verifying: "Verifying the TensorFlow runtime",
};

function Progress({ progress }: { readonly progress: InstallProgress }): ReactElement {
  const { phase, doneBytes, totalBytes } = progress;
  const known = totalBytes > 0;
  return (
    <div className="banner" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{PHASES[phase]}</span>
      <div
        className="bar"
        role="progressbar"
        aria-label={PHASES[phase]}
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
      <span className="fg2">
        {known
          ? `${bytesText(doneBytes)} of ${bytesText(totalBytes)}`
          : doneBytes > 0
            ? bytesText(doneBytes)
            : ""}
      </span>
      <CommandButton command={runtimeCommands.cancelInstall} size="small" />
    </div>
  );
}
