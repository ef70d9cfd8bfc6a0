import type { ReactElement } from "react";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { installRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { bytesText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { Fact, FactList } from "./fact-list.js";

const words = texts.dialogs.installDialog;

/** The gains and requirements of an installation, before it begins. */
export function InstallDialog(): ReactElement {
  const state = useRuntime((store) => store.state);
  const offer = state?.offer;
  const fits = offer !== undefined && offer.freeBytes >= offer.installedBytes + offer.downloadBytes;
  const install = () => {
    uiActions.close();
    attempt(installRuntime);
  };
  return (
    <Dialog
      title={words.title}
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>
            {fits || !offer ? "" : words.noSpace}
          </span>
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button
            variant="primary"
            icon="download"
            disabled={!fits || state?.progress !== undefined}
            onClick={install}
          >
            {words.install}
          </Button>
        </>
      }
    >
      <DialogBody>
        {offer ? (
          <>
            <p>{words.explanation}</p>
            {offer.note ? <p>{offer.note}</p> : null}
            <FactList>
              <Fact name={words.version}>
                {(offer.gpu ? words.versionWithCuda : words.versionOnCpu)({ version: offer.version })}
              </Fact>
              <Fact name={words.download}>{bytesText(offer.downloadBytes)}</Fact>
              <Fact name={words.onDisk}>{bytesText(offer.installedBytes)}</Fact>
              <Fact name={words.free}>{bytesText(offer.freeBytes)}</Fact>
            </FactList>
          </>
        ) : state?.problem ? (
          <ProblemView problem={state.problem} />
        ) : (
          <p>{words.noBuild}</p>
        )}
      </DialogBody>
    </Dialog>
  );
}
