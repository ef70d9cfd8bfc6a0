import type { ReactElement } from "react";
import type { Role } from "../../main/api/machines.js";
import { ROLES, roleText } from "../cluster/machine-text.js";
import { texts } from "../texts/texts.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./role-select.module.css";

const words = texts.pairing.roleSelect;

const OPTIONS = ROLES.map(({ role, label }) => ({ id: role, label }));

interface RoleSelectProps {
  /** Name of the machine that gets the role here. */
  readonly machine: string;
  readonly role: Role;
  onChange(role: Role): void;
}

/** The rights of another machine here, and what they mean. */
export function RoleSelect({ machine, role, onChange }: RoleSelectProps): ReactElement {
  const label = words.label({ machine });
  return (
    <div className={styles.roles}>
      <div className={styles.row}>
        <span aria-hidden="true">{label}</span>
        <div className={styles.choice}>
          <Segmented label={label} options={OPTIONS} selected={role} onSelect={onChange} />
        </div>
      </div>
      <p className={textStyles.muted}>{roleText(role).here}</p>
    </div>
  );
}
