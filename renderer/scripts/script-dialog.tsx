import { type FormEvent, type ReactElement, useState } from "react";
import type { ScriptRequest, ScriptSurvey, ScriptTask } from "../../main/api/scripts.js";
import { chooseOtherScript, startScript } from "../actions/script-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { type DialogState, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { bytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import { joinArguments, splitArguments } from "./arguments.js";
import { FilesSection } from "./files-section.js";
import { PackagesSection } from "./packages-section.js";
import { PlaceSection } from "./place-section.js";
import { RolesTable } from "./roles-table.js";
import styles from "./script-dialog.module.css";
import { firstTasks, missingRole } from "./script-plan.js";
import { ScriptRow } from "./script-row.js";
import { TfConfigSection } from "./tf-config-section.js";
import { useScriptSurvey } from "./use-script-survey.js";

const words = texts.scripts.scriptDialog;

const FIRST_RESTARTS = 3;
const MOST_RESTARTS = 1000;

/** How a script is run: what is sent where, as which tasks, and what happens when one fails. */
export default function ScriptDialog(props: Extract<DialogState, { kind: "script" }>): ReactElement {
  const { path, request } = props;
  const [folder, setFolder] = useState(request?.folder);
  const [python, setPython] = useState(request?.python);
  const { survey, python: surveyed, problem } = useScriptSurvey({ path, folder, python });
  return (
    <Dialog title={words.title} icon="play" width="wide" onClose={uiActions.close}>
      {survey ? (
        <ScriptForm
          key={survey.folder}
          {...{ survey, python }}
          isCurrent={surveyed === python}
          given={props}
          onFolder={setFolder}
          onPython={setPython}
        />
      ) : (
        <DialogBody>
          {problem ? (
            <ProblemView problem={problem}>
              <Button size="small" onClick={() => attempt(() => chooseOtherScript(props))}>
                {words.choose}
              </Button>
            </ProblemView>
          ) : (
            <p className={textStyles.muted}>
              <Spinner /> {words.examining}
            </p>
          )}
        </DialogBody>
      )}
    </Dialog>
  );
}

interface ScriptFormProps {
  readonly survey: ScriptSurvey;
  /** The Python that the user chose. */
  readonly python: string | undefined;
  /** True if the survey was made with that Python. */
  readonly isCurrent: boolean;
  readonly given: Extract<DialogState, { kind: "script" }>;
  onFolder(folder: string): void;
  onPython(python: string | undefined): void;
}

function ScriptForm(props: ScriptFormProps): ReactElement {
  const { survey, python, isCurrent, given, onFolder, onPython } = props;
  const { request: before } = given;
  const { strategy } = survey;
  const known = useCluster(machinesOf);
  const connection = useKubernetes((state) => state.connection);
  const [pod, setPod] = useState(before?.kubernetes);
  const place = connection && words.place(connection);
  const inKubernetes = pod !== undefined && place !== undefined;
  // One place, with the devices that every pod has.
  const machines = inKubernetes
    ? known.filter(({ kind }) => kind === "this").map((one) => ({ ...one, name: place, gpus: [] }))
    : known;
  const [tasks, setTasks] = useState<readonly ScriptTask[]>(
    () => before?.tasks ?? firstTasks(strategy, known),
  );
  const [args, setArgs] = useState(joinArguments(before?.args ?? []));
  const [flags, setFlags] = useState(before?.passFlags ?? strategy?.readsFlags ?? false);
  const [network, setNetwork] = useState(before?.network ?? false);
  const [scalars, setScalars] = useState(before?.scalars ?? true);
  const [comesBack, setComesBack] = useState(before?.outputs !== false);
  const [below, setBelow] = useState(typeof before?.outputs === "string" ? before.outputs : "");
  const [restarts, setRestarts] = useState(before?.restarts ?? 0);
  const own = known.find(({ kind }) => kind === "this")?.id;
  const others = new Set(
    tasks.map(({ machineId }) => machineId).filter((id) => id !== undefined && id !== own),
  );
  const missing = missingRole(tasks, strategy);
  // Files that are too large are a problem for other machines only.
  const isTooLarge = (others.size > 0 || inKubernetes) && survey.files === undefined;
  const start = (event: FormEvent) => {
    event.preventDefault();
    const request: ScriptRequest = {
      ...{ path: survey.path, folder: survey.folder, args: splitArguments(args) },
      tasks: inKubernetes ? tasks.map(({ machineId: _, ...task }) => task) : [...tasks],
      ...(inKubernetes ? { kubernetes: pod } : python !== undefined && { python }),
      ...{ restarts, network, scalars, passFlags: flags },
      ...(!comesBack ? { outputs: false } : below.trim() === "" ? {} : { outputs: below.trim() }),
    };
    attempt(async () => {
      await startScript(request);
      uiActions.close();
    });
  };
  return (
    <form className={styles.form} onSubmit={start}>
      <DialogBody className={styles.body}>
        <ScriptRow label={words.script}>
          <div className={styles.line}>
            <code className={styles.path}>{survey.script}</code>
            <label className={styles.inline}>
              {words.folder}
              <SelectInput value={survey.folder} onChange={({ target }) => onFolder(target.value)}>
                {[...new Set([survey.folder, ...survey.folders])].map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </SelectInput>
            </label>
            <Button onClick={() => attempt(() => chooseOtherScript(given))}>{words.choose}</Button>
          </div>
        </ScriptRow>
        {place === undefined ? null : (
          <PlaceSection
            kubernetes={place}
            pod={pod}
            onChange={(chosen) => {
              setPod(chosen);
              // A task that has a machine is one, wherever it runs.
              if (own) setTasks(tasks.map((task) => ({ ...task, machineId: own })));
            }}
          />
        )}
        <FilesSection survey={survey} />
        {inKubernetes ? null : (
          <PackagesSection
            script={{ path: survey.path, folder: survey.folder, python }}
            packages={survey.packages}
            {...{ isCurrent, machines, tasks, onPython }}
          />
        )}
        <ScriptRow label={words.strategy}>
          {strategy ? (
            <p className={styles.line}>
              <Icon name="check" />
              <span>
                {words.found({ name: strategy.name, script: survey.script, line: strategy.line, b: bold })}
              </span>
            </p>
          ) : (
            <p className={textStyles.muted}>{words.noStrategy}</p>
          )}
          <Check label={words.usesFlags} checked={flags} onChange={setFlags} />
        </ScriptRow>
        <RolesTable tasks={tasks} strategy={strategy} machines={machines} onChange={setTasks} />
        <TfConfigSection tasks={tasks} />
        <ScriptRow label={words.arguments}>
          <TextInput
            monospace
            aria-label={words.arguments}
            value={args}
            spellCheck={false}
            onChange={(event) => setArgs(event.target.value)}
          />
          <Check label={words.network} checked={network} onChange={setNetwork} note={words.networkNote} />
        </ScriptRow>
        <ScriptRow label={words.bringBack}>
          <div className={styles.line}>
            <Check label={words.curves} checked={scalars} onChange={setScalars} />
            <Check label={words.files} checked={comesBack} onChange={setComesBack} />
            {comesBack ? (
              <TextInput
                aria-label={words.onlyBelow}
                placeholder={words.onlyBelow}
                value={below}
                spellCheck={false}
                className={styles.below}
                onChange={(event) => setBelow(event.target.value)}
              />
            ) : null}
          </div>
        </ScriptRow>
        <ScriptRow label={words.ifFails}>
          <div role="radiogroup" aria-label={words.ifFails}>
            <label className={styles.choice}>
              <input type="radio" name="fails" checked={restarts === 0} onChange={() => setRestarts(0)} />
              {words.stopAll}
            </label>
            <div className={styles.line}>
              <label className={styles.choice}>
                <input
                  type="radio"
                  name="fails"
                  checked={restarts > 0}
                  onChange={() => setRestarts(FIRST_RESTARTS)}
                />
                {words.restart}
              </label>
              <TextInput
                type="number"
                aria-label={words.timesLabel}
                className={styles.number}
                min={1}
                max={MOST_RESTARTS}
                disabled={restarts === 0}
                value={restarts === 0 ? FIRST_RESTARTS : restarts}
                onChange={({ target }) =>
                  setRestarts(Math.min(MOST_RESTARTS, Math.max(1, Math.round(Number(target.value)) || 1)))
                }
              />
              {words.times}
            </div>
          </div>
        </ScriptRow>
      </DialogBody>
      <DialogFooter>
        <span className={textStyles.grow} role="status">
          {missing
            ? words.missing[missing]
            : inKubernetes
              ? words.sendsToPods({ bytes: bytesText(survey.files?.bytes ?? 0), pods: tasks.length })
              : words.sends({ bytes: bytesText(survey.files?.bytes ?? 0), machines: others.size })}
        </span>
        <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
        <Button type="submit" variant="primary" disabled={missing !== undefined || isTooLarge}>
          {words.start}
        </Button>
      </DialogFooter>
    </form>
  );
}

interface CheckProps {
  readonly label: string;
  readonly note?: string;
  readonly checked: boolean;
  onChange(checked: boolean): void;
}

function Check({ label, note, checked, onChange }: CheckProps): ReactElement {
  return (
    <label className={styles.choice} title={note}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
