import type { ReactElement } from "react";
import type { PairingState } from "../../main/api/machines.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { closePairing, grantRole, startPairing, usePairing } from "../stores/pairing-store.js";
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
      title={side === "enter" ? `Pair with ${machine.name}` : `${machine.name} wants to pair`}
      onClose={close}
      footer={
        <>
          <span className={textStyles.grow} />
          <Button onClick={close}>Cancel</Button>
        </>
      }
    >
      <DialogBody className={stepStyles.step} role="status">
        <h3>Asking {machine.name}…</h3>
        <p className={stepStyles.busy}>
          <Spinner />
          Connecting to {machine.address || machine.name}.
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
      title={`${machine.name} wants to pair`}
      onClose={close}
      footer={
        <>
          <Countdown expiresAt={expiresAt} />
          <span className={textStyles.grow} />
          <Button onClick={close}>Refuse</Button>
        </>
      }
    >
      <DialogBody className={stepStyles.step}>
        <h3>Type this code on {machine.name}</h3>
        <p>
          Only give it to someone you can see. A paired machine that may run can start tasks here and run
          graphs on them, which means acting with the rights of your account.
        </p>
        <p className={styles.code} role="img" aria-label={[...digits].join(" ")}>
          {digits === "" ? "··· ···" : `${digits.slice(0, 3)} ${digits.slice(3)}`}
        </p>
        {step === "wrong" ? (
          <p className={stepStyles.problem} role="status">
            A wrong code was typed, so this is a new one. {triesText(triesLeft)}
          </p>
        ) : null}
        <PeerFacts
          facts={[
            ["Asked by", [machine.name, machine.address].filter(Boolean).join(", ")],
            ["Fingerprint of this machine", ownId],
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

/** "2 tries left, then pairing closes." */
function triesText(triesLeft: number): string {
  return triesLeft === 1 ? "This is the last try." : `${triesLeft} tries left, then pairing closes.`;
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
      title={side === "enter" ? `Pair with ${machine.name}` : `${machine.name} wanted to pair`}
      onClose={close}
      footer={
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>
            Nothing was changed on either machine.
          </span>
          <Button onClick={close}>Close</Button>
          {side === "enter" ? (
            <Button variant="primary" onClick={again}>
              Try again
            </Button>
          ) : null}
        </>
      }
    >
      <DialogBody className={stepStyles.step}>
        <h3>The machines are not paired</h3>
        <ProblemView
          problem={problem ?? { code: "ABORTED", message: `Pairing with ${machine.name} was ended.` }}
        />
      </DialogBody>
    </Dialog>
  );
}
