import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { MachinePackages, ScriptPackages, ScriptSurvey, ScriptTask } from "../../main/api/scripts.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./script-dialog.module.css";
import { ScriptRow } from "./script-row.js";
import { useMachinePackages } from "./use-machine-packages.js";

const words = texts.scripts.packagesSection;

interface PackagesSectionProps {
  /** The script, and the folder that is sent with it. */
  readonly script: Pick<ScriptSurvey, "path" | "folder">;
  readonly packages: ScriptPackages;
  readonly machines: readonly Machine[];
  readonly tasks: readonly ScriptTask[];
}

/** Where the packages of the script come from, and whether each machine of the job has them. */
export function PackagesSection({ script, packages, machines, tasks }: PackagesSectionProps): ReactElement {
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
            {machine.kind === "this" ? (
              <MachineState state={packages} />
            ) : (
              <StateElsewhere key={script.folder} script={script} machineId={machine.id} />
            )}
          </p>
        ))}
      </div>
      {problem && used.some(({ kind: of }) => of === "this") ? (
        <ProblemView problem={problem} kind="notice" />
      ) : null}
    </ScriptRow>
  );
}

/** Asked of the machine itself. */
function StateElsewhere({
  script,
  machineId,
}: Pick<PackagesSectionProps, "script"> & { readonly machineId: string }): ReactElement {
  const state = useMachinePackages(script, machineId);
  if (state) return <MachineState state={state} />;
  return (
    <span className={textStyles.muted}>
      <Spinner /> {words.asking}
    </span>
  );
}

function MachineState({ state }: { readonly state: MachinePackages }): ReactElement {
  const { ready, python = "", problem } = state;
  if (problem) {
    return (
      <>
        <span className={textStyles.error} title={[problem.reason, problem.remedy].filter(Boolean).join(" ")}>
          {problem.message} {problem.remedy}
        </span>
        <Icon name="warning" />
      </>
    );
  }
  return (
    <>
      <span className={textStyles.muted}>
        {ready ? words.ready({ python }) : words.willBeMade({ python })}
      </span>
      {ready ? <Icon name="check" /> : null}
    </>
  );
}
