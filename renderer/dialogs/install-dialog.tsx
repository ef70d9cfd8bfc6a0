import type { ReactElement } from "react";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { installRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { bytesText } from "../ui/format.js";

/** What an installation brings and takes, before it begins. */
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
          <span className="grow fg2">{fits || !offer ? "" : "There is not enough free space for it."}</span>
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
      <div className="dlg-body">
        {offer ? (
          <>
            <p>
              New tasks will run on TensorFlow's own library instead of the portable engine: every op, more
              speed, and CUDA where the library has it. It is fetched from the Python Package Index, checked
              against the SHA-256 sums that Tensordeck carries, and kept in your own data folder. Python
              packages stay as they are.
            </p>
            {offer.note ? <p>{offer.note}</p> : null}
            <dl className="facts">
              <div>
                <dt>Version</dt>
                <dd>
                  {offer.version}, {offer.gpu ? "with CUDA" : "CPU"}
                </dd>
              </div>
              <div>
                <dt>Download</dt>
                <dd>{bytesText(offer.downloadBytes)}</dd>
              </div>
              <div>
                <dt>On disk</dt>
                <dd>{bytesText(offer.installedBytes)}</dd>
              </div>
              <div>
                <dt>Free</dt>
                <dd>{bytesText(offer.freeBytes)}</dd>
              </div>
            </dl>
          </>
        ) : state?.problem ? (
          <ProblemView problem={state.problem} />
        ) : (
          <p>There is no TensorFlow build for this system that Tensordeck could install.</p>
        )}
      </div>
    </Dialog>
  );
}
