import { type FormEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { PairingState } from "../../main/api/machines.js";
import { attempt } from "../stores/app-store.js";
import { enterCode, grantRole } from "../stores/pairing-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import { CodeInput, NO_DIGITS } from "./code-input.js";
import { Countdown } from "./countdown.js";
import styles from "./pairing-step.module.css";
import { PeerFacts } from "./peer-facts.js";
import { RoleSelect } from "./role-select.js";

const words = texts.pairing.enterCode;

interface EnterCodeProps {
  readonly state: PairingState;
  onClose(): void;
}

/** The dialog of the side that types the code. */
export function EnterCode({ state, onClose }: EnterCodeProps): ReactElement {
  const { machine, step, triesLeft, expiresAt, grantedRole } = state;
  const [digits, setDigits] = useState(NO_DIGITS);
  /** How many tries were left when the user began to type a new code after a wrong one. */
  const [retried, setRetried] = useState<number>();
  const form = useRef<HTMLFormElement>(null);
  const wrong = step === "wrong" && retried !== triesLeft;
  const checking = step === "checking";
  const complete = digits.every((digit) => digit !== "");
  // The boxes lose the focus while a code is checked, because they cannot be changed then.
  useEffect(() => {
    if (wrong) form.current?.querySelector<HTMLButtonElement>("[data-primary]")?.focus();
  }, [wrong]);
  const retry = () => {
    setDigits(NO_DIGITS);
    setRetried(triesLeft);
    form.current?.querySelector<HTMLInputElement>("input")?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (complete && !checking && !wrong) attempt(() => enterCode(digits.join("")));
  };
  return (
    <Dialog icon="link" title={words.title({ machine: machine.name })} onClose={onClose}>
      <form ref={form} onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.step}>
          <h3>{words.typeTheCode({ machine: machine.name })}</h3>
          <p>{words.validity}</p>
          <CodeInput
            digits={digits}
            wrong={wrong}
            disabled={checking}
            onChange={(now) => {
              setDigits(now);
              if (wrong) setRetried(triesLeft);
            }}
          />
          {wrong ? (
            <p className={styles.problem} role="alert">
              <Icon name="warning" />
              <span>{words.wrongCode({ b: bold, machine: machine.name, triesLeft })}</span>
            </p>
          ) : null}
          <PeerFacts
            facts={[
              [words.device, [machine.name, machine.address].filter(Boolean).join(", ")],
              [words.fingerprint, machine.id],
            ]}
          />
          {wrong ? null : (
            <p className={styles.remark}>{words.compareFingerprints({ machine: machine.name })}</p>
          )}
          <RoleSelect
            machine={machine.name}
            role={grantedRole}
            onChange={(role) => attempt(() => grantRole(role))}
          />
        </DialogBody>
        <DialogFooter>
          <Countdown expiresAt={expiresAt} />
          <span className={textStyles.grow} />
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          {wrong ? (
            <Button variant="primary" onClick={retry}>
              {words.clearAndRetry}
            </Button>
          ) : (
            <Button type="submit" variant="primary" disabled={!complete || checking}>
              {checking ? words.checking : words.pair}
            </Button>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}
