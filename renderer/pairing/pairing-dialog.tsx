import type { ReactElement } from "react";
import type { PairingState } from "../../main/api/machines.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { closePairing, grantRole, startPairing, usePairing } from "../stores/pairing-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import { Countdown } from "./countdown.js";
import { EnterCode } from "./enter-code.js";
import { PairedDialog } from "./paired-dialog.js";
import styles from "./pairing-dialog.module.css";
import stepStyles from "./pairing-step.module.css";
import { PeerFacts } from "./peer-facts.js";
import { RoleSelect } from "./role-select.js";

const words = texts.pairing.pairingDialog;

const close = () => attempt(closePairing);

/** The pairing in progress, for the side that types the code or the side that shows it; nothing without one. */
export function PairingDialog(): ReactElement | null {
  const state = usePairing((store) => store.state);
  if (state === undefined) return null;
  switch (state.step) {
    case "paired":
      return <PairedDialog state={state} onClose={close} />;
    case "failed":
      return <FailedDialog state={state} />;
    case "connecting":
      return <ConnectingDialog state={state} />;
    default:
      return state.side === "enter" ? (
        <EnterCode key={state.id} state={state} onClose={close} />
      ) : (
        <ShowDialog state={state} />
      );
  }
}

interface Props {
  readonly state: PairingState;
}

function ConnectingDialog({ state: { machine, side } }: Props): ReactElement {
  return (
    <Dialog
      icon="link"
      title={
        side === "enter"
          ? words.pairWith({ machine: machine.name })
          : words.wantsToPair({ machine: machine.name })
      }
      onClose={close}
      footer={
        <>
          <span className={textStyles.grow} />
          <Button onClick={close}>{texts.common.cancel}</Button>
        </>
      }
    >
      <DialogBody className={stepStyles.step} role="status">
        <h3>{words.asking({ machine: machine.name })}</h3>
        <p className={stepStyles.busy}>
          <Spinner />
          {words.connectingTo({ address: machine.address || machine.name })}
        </p>
      </DialogBody>
    </Dialog>
  );
}

/** The other machine requested it: its user reads the code here, or is told it by the user of this machine. */
function ShowDialog({ state }: Props): ReactElement {
  const { machine, code, step, ownId, expiresAt, grantedRole, triesLeft } = state;
  const digits = code ?? "";
  return (
    <Dialog
      icon="link"
      title={words.wantsToPair({ machine: machine.name })}
      onClose={close}
      footer={
        <>
          <Countdown expiresAt={expiresAt} />
          <span className={textStyles.grow} />
          <Button onClick={close}>{words.refuse}</Button>
        </>
      }
    >
      <DialogBody className={stepStyles.step}>
        <h3>{words.typeTheCode({ machine: machine.name })}</h3>
        <p>{words.whomToGiveTheCode}</p>
        <p className={styles.code} role="img" aria-label={[...digits].join(" ")}>
          {digits === "" ? "··· ···" : `${digits.slice(0, 3)} ${digits.slice(3)}`}
        </p>
        {step === "wrong" ? (
          <p className={stepStyles.problem} role="status">
            {words.wrongCode({ triesLeft })}
          </p>
        ) : null}
        <PeerFacts
          facts={[
            [words.askedBy, [machine.name, machine.address].filter(Boolean).join(", ")],
            [words.ownFingerprint, ownId],
          ]}
        />
        <RoleSelect
          machine={machine.name}
          role={grantedRole}
          onChange={(role) => attempt(() => grantRole(role))}
        />
      </DialogBody>
    </Dialog>
  );
}

function FailedDialog({ state: { machine, side, problem, grantedRole } }: Props): ReactElement {
  const again = () =>
    attempt(async () => {
      await closePairing();
      await startPairing(machine.id, grantedRole);
    });
  return (
    <Dialog
      icon="link"
      title={
        side === "enter"
          ? words.pairWith({ machine: machine.name })
          : words.wantedToPair({ machine: machine.name })
      }
      onClose={close}
      footer={
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>{words.nothingChanged}</span>
          <Button onClick={close}>{texts.common.close}</Button>
          {side === "enter" ? (
            <Button variant="primary" onClick={again}>
              {texts.common.tryAgain}
            </Button>
          ) : null}
        </>
      }
    >
      <DialogBody className={stepStyles.step}>
        <h3>{words.notPaired}</h3>
        <ProblemView
          problem={problem ?? { code: "ABORTED", message: words.ended({ machine: machine.name }) }}
        />
      </DialogBody>
    </Dialog>
  );
}
