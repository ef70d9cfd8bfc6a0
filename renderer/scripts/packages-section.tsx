import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { ScriptPackages, ScriptTask } from "../../main/api/scripts.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import styles from "./script-dialog.module.css";
import { ScriptRow } from "./script-row.js";

const words = texts.scripts.packagesSection;

interface PackagesSectionProps {
  readonly packages: ScriptPackages;
  readonly machines: readonly Machine[];
  readonly tasks: readonly ScriptTask[];
}

/** Where the packages of the script come from, and whether each machine of the job has them. */
export function PackagesSection({ packages, machines, tasks }: PackagesSectionProps): ReactElement {
  const { kind, file = "", count = 0, problem } = packages;
  const used = machines.filter(({ id }) => tasks.some(({ machineId }) => machineId === id));
  return (
    <ScriptRow label={words.label}>
      <div className={styles.card}>
        <p className={styles.cardHead}>
          <span>
            {kind === "requirements"
              ? words.requirements({ file, count, b: bold })
              : kind === "own"
                ? words.own({ b: bold })
                : words.system}
          </span>
        </p>
        {used.map((machine) => (
          <p key={machine.id} className={styles.packageRow}>
            <b className={textStyles.truncated}>{machine.name}</b>
            <span className={textStyles.muted}>{stateText(machine, packages)}</span>
            {machine.kind === "this" && packages.ready && problem === undefined ? (
              <Icon name="check" />
            ) : null}
          </p>
        ))}
      </div>
      {problem && used.some(({ kind: of }) => of === "this") ? (
        <ProblemView problem={problem} kind="notice" />
      ) : null}
    </ScriptRow>
  );
}

function stateText({ kind }: Machine, { kind: packages, ready, python, problem }: ScriptPackages): string {
  if (kind !== "this") return packages === "requirements" ? words.elsewhere : words.elsewhereSystem;
  if (problem !== undefined || python === undefined) return problem?.message ?? "";
  return ready ? words.ready({ python }) : words.willBeMade({ python });
}
