import type { ReactElement } from "react";
import type { PairingState } from "../../main/api/machines.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { closePairing, grantRole, startPairing, usePairing } from "../stores/pairing-store.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Countdown } from "./countdown.js";
import { EnterCode } from "./enter-code.js";
import { PairedDialog } from "./paired-dialog.js";
import "./pairing.css";
import { PeerFacts } from "./peer-facts.js";
import { RoleSelect } from "./role-select.js";

const close = () => attempt(closePairing);

/** The pairing that goes on, on the side that types the code or on the side that shows it; nothing without one. */
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
          <span className="grow" />
          <Button onClick={close}>Cancel</Button>
        </>
      }
    >
      <div className="dlg-body pairing-body" role="status">
        <h3>Asking {machine.name}…</h3>
        <p className="busy-line">
          <span className="spinner" aria-hidden="true" />
          Connecting to {machine.address || machine.name}.
        </p>
      </div>
    </Dialog>
  );
}

/** The other machine asked: its user reads the code here, or hears it from who sits here. */
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
          <span className="grow" />
          <Button onClick={close}>Refuse</Button>
        </>
      }
    >
      <div className="dlg-body pairing-body">
        <h3>Type this code on {machine.name}</h3>
        <p>
          Only give it to someone you can see. A paired machine that may run can start tasks here and run
          graphs on them, which means acting with the rights of your account.
        </p>
        <p className="big-code" role="img" aria-label={[...digits].join(" ")}>
          {digits === "" ? "··· ···" : `${digits.slice(0, 3)} ${digits.slice(3)}`}
        </p>
        {step === "wrong" ? (
          <p className="code-note" role="status">
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
      </div>
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
          <span className="grow fg2">Nothing was changed on either machine.</span>
          <Button onClick={close}>Close</Button>
          {side === "enter" ? (
            <Button variant="primary" onClick={again}>
              Try again
            </Button>
          ) : null}
        </>
      }
    >
      <div className="dlg-body pairing-body">
        <h3>The machines are not paired</h3>
        <ProblemView
          problem={problem ?? { code: "ABORTED", message: `Pairing with ${machine.name} was ended.` }}
        />
      </div>
    </Dialog>
  );
}
