import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { attempt } from "../stores/app-store.js";
import { closeFirewall, useFirewall } from "../stores/firewall-store.js";
import { texts } from "../texts/texts.js";
import { Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { ApplyStep } from "./apply-step.js";
import { BlockedStep } from "./blocked-step.js";
import { ChangeStep } from "./change-step.js";
import styles from "./firewall-dialog.module.css";
import { VerifyStep } from "./verify-step.js";
import { WizardFooter } from "./wizard-footer.js";

const words = texts.firewall.firewallDialog;

const STEPS = [
  { id: "blocked", label: words.found, Step: BlockedStep },
  { id: "change", label: words.whatWillChange, Step: ChangeStep },
  { id: "apply", label: words.apply, Step: ApplyStep },
  { id: "verify", label: words.verify, Step: VerifyStep },
] as const;

/** The firewall wizard, as the application has it; nothing while none is open. */
export function FirewallDialog(): ReactElement | null {
  const wizard = useFirewall((store) => store.wizard);
  if (wizard === undefined) return null;
  const at = STEPS.findIndex(({ id }) => id === wizard.step);
  const Step = STEPS[at]?.Step ?? BlockedStep;
  return (
    <Dialog
      width="wide"
      icon="shield"
      title={titleOf(wizard)}
      onClose={() => attempt(closeFirewall)}
      footer={<WizardFooter wizard={wizard} />}
    >
      <div className={styles.wizard}>
        <ol className={styles.steps}>
          {STEPS.map(({ id, label }, index) => (
            <li
              key={id}
              className={index === at ? styles.current : index < at ? styles.done : undefined}
              aria-current={index === at ? "step" : undefined}
            >
              <i aria-hidden="true">{index < at ? <Icon name="check" size={18} /> : index + 1}</i>
              {label}
              {index < at ? <span className={textStyles.spokenOnly}>{words.done}</span> : null}
            </li>
          ))}
        </ol>
        <div className={styles.step} aria-live="polite">
          <Step wizard={wizard} />
        </div>
      </div>
    </Dialog>
  );
}

function titleOf({ machine, peer }: FirewallWizard): string {
  return peer === undefined
    ? words.titleForAll({ machine: machine.name })
    : words.title({ peer: peer.name, machine: machine.name });
}
