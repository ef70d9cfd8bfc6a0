import type { ReactElement } from "react";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { installRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { bytesText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { Fact, FactList } from "./fact-list.js";

/** What an installation adds and requires, before it begins. */
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
      title="Install the TensorFlow runtime"
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>
            {fits || !offer ? "" : "There is not enough free space for it."}
          </span>
          <Button onClick={uiActions.close}>Cancel</Button>
          <Button
            variant="primary"
            icon="download"
            disabled={!fits || state?.progress !== undefined}
            onClick={install}
          >
            Install
          </Button>
        </>
      }
    >
      <DialogBody>
        {offer ? (
          <>
            <p>
              New tasks will run on TensorFlow's own library instead of the portable engine: every op, more
              speed, and CUDA where the library has it. It is fetched from the Python Package Index, checked
              against the SHA-256 sums that Tensordeck carries, and kept in your own data folder. Python
              packages stay as they are.
            </p>
            {offer.note ? <p>{offer.note}</p> : null}
            <FactList>
              <Fact name="Version">
                {offer.version}, {offer.gpu ? "with CUDA" : "CPU"}
              </Fact>
              <Fact name="Download">{bytesText(offer.downloadBytes)}</Fact>
              <Fact name="On disk">{bytesText(offer.installedBytes)}</Fact>
              <Fact name="Free">{bytesText(offer.freeBytes)}</Fact>
            </FactList>
          </>
        ) : state?.problem ? (
          <ProblemView problem={state.problem} />
        ) : (
          <p>There is no TensorFlow build that Tensordeck could install on this system.</p>
        )}
      </DialogBody>
    </Dialog>
  );
}
