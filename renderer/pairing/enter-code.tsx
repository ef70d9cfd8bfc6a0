import { type FormEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { PairingState } from "../../main/api/machines.js";
import { attempt } from "../stores/app-store.js";
import { enterCode, grantRole } from "../stores/pairing-store.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { CodeInput, NO_DIGITS } from "./code-input.js";
import { Countdown } from "./countdown.js";
import styles from "./pairing-step.module.css";
import { PeerFacts } from "./peer-facts.js";
import { RoleSelect } from "./role-select.js";

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
    <Dialog icon="link" title={`Pair with ${machine.name}`} onClose={onClose}>
      <form ref={form} onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.step}>
          <h3>Type the code shown on {machine.name}</h3>
          <p>The code works once and pairing stays open for 2 minutes.</p>
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
              <span>
                <b>That code does not match.</b> Nothing was changed. {machine.name} shows a new code.{" "}
                {triesLeft === 1 ? "1 try" : `${triesLeft} tries`} left, then pairing closes.
              </span>
            </p>
          ) : null}
          <PeerFacts
            facts={[
              ["Device", [machine.name, machine.address].filter(Boolean).join(", ")],
              ["Fingerprint", machine.id],
            ]}
          />
          {wrong ? null : (
            <p className={styles.remark}>
              Compare the fingerprint with the one on {machine.name}. If they differ, cancel: another device
              is answering.
            </p>
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
          <Button onClick={onClose}>Cancel</Button>
          {wrong ? (
            <Button variant="primary" onClick={retry}>
              Clear and retry
            </Button>
          ) : (
            <Button type="submit" variant="primary" disabled={!complete || checking}>
              {checking ? "Checking…" : "Pair"}
            </Button>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}
