import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { MachinePackages, ScriptLocation, ScriptPackages, ScriptTask } from "../../main/api/scripts.js";
import { TextField } from "../parts/text-field.js";
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
  /** The script, the folder that is sent with it, and the Python that the user chose. */
  readonly script: ScriptLocation;
  readonly packages: ScriptPackages;
  /** True if `packages` are those of that Python; otherwise they are being asked for. */
  readonly isCurrent: boolean;
  readonly machines: readonly Machine[];
  readonly tasks: readonly ScriptTask[];
  onPython(python: string | undefined): void;
}

/** Where the packages of the script come from, and whether each machine of the job has them. */
export function PackagesSection(props: PackagesSectionProps): ReactElement {
  const { script, packages, isCurrent, machines, tasks, onPython } = props;
  const { kind, file = "", count = 0 } = packages;
  const { folder, python = "" } = script;
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
                : words[kind]}
          </span>
        </p>
        {used.map((machine) => (
          <p key={machine.id} className={styles.packageRow}>
            <b className={textStyles.truncated}>{machine.name}</b>
            {machine.kind === "this" ? (
              <MachineState state={isCurrent ? packages : undefined} />
            ) : (
              <StateElsewhere key={`${folder}\n${python}`} script={script} machineId={machine.id} />
            )}
          </p>
        ))}
      </div>
      <span className={styles.inline}>
        {words.python}
        <span className={textStyles.grow}>
          <TextField
            value={python}
            label={words.python}
            placeholder={words.pythonPlaceholder}
            commit={(text) => {
              onPython(text.trim() === "" ? undefined : text.trim());
              return undefined;
            }}
          />
        </span>
      </span>
    </ScriptRow>
  );
}

/** Asked of the machine itself. */
function StateElsewhere({
  script,
  machineId,
}: Pick<PackagesSectionProps, "script"> & { readonly machineId: string }): ReactElement {
  return <MachineState state={useMachinePackages(script, machineId)} />;
}

/** @param state Undefined until the machine has answered. */
function MachineState({ state }: { readonly state: MachinePackages | undefined }): ReactElement {
  if (!state) {
    return (
      <span className={textStyles.muted}>
        <Spinner /> {words.asking}
      </span>
    );
  }
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
