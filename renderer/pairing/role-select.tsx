import type { ReactElement } from "react";
import type { Role } from "../../main/api/machines.js";
import { ROLES, roleText } from "../cluster/machine-text.js";
import { Segmented } from "../ui/segmented.js";

const OPTIONS = ROLES.map(({ role, label }) => ({ id: role, label }));

interface RoleSelectProps {
  /** Name of the machine that gets the role here. */
  readonly machine: string;
  readonly role: Role;
  onChange(role: Role): void;
}

/** What another machine may do here, and what that means. */
export function RoleSelect({ machine, role, onChange }: RoleSelectProps): ReactElement {
  const label = `What ${machine} may do here`;
  return (
    <div className="role-select">
      <div className="role-row">
        <span aria-hidden="true">{label}</span>
        <Segmented label={label} options={OPTIONS} selected={role} onSelect={onChange} />
      </div>
      <p className="fg2">{roleText(role).here}</p>
    </div>
  );
}
