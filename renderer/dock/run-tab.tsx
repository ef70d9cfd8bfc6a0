/** The only place to choose what a run fetches, runs and feeds; also shows the signatures of the graph. */
import { type ReactElement, useId, useState } from "react";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { type ChosenRun, chosenRun, waitedQueues } from "../document/run-inputs.js";
import {
  completions,
  joinRunnable,
  type Runnable,
  readRunnable,
  runnableOf,
} from "../document/runnable-names.js";
import { shapeText } from "../document/shapes.js";
import { signatureOf } from "../document/signature.js";
import { parseTensorName } from "../document/tensor-names.js";
import { Note, Section, SectionHeading } from "../parts/section.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { TextInput } from "../ui/text-input.js";
import { showInGraph } from "../viewport/travel.js";
import { NameAndType } from "./name-and-type.js";
import { RunColumn, RunWarning } from "./run-column.js";
import { RunConfigColumn } from "./run-configs.js";
import { FeedColumn } from "./run-feeds.js";
import rowStyles from "./run-row.module.css";
import { SignatureColumn } from "./run-signatures.js";
import styles from "./run-tab.module.css";

const words = texts.dock.runTab;

export default function RunTab(): ReactElement {
  // Until the op list is there, outputs are not known.
  useOps((state) => state.ops);
  const document = useDocument((state) => state.document);
  const run = chosenRun(document, lookupOp);
  return (
    <div className={styles.columns}>
      <RunConfigColumn run={run} />
      <SignatureColumn run={run} />
      <RunColumn label={words.fetchedAndRun}>
        <Section last>
          <SectionHeading className={styles.heading}>
            {words.fetchedAndRun}
            <span className={textStyles.grow} />
            {run.origin === "user" ? (
              <TextButton onClick={() => documentActions.resetRun()}>{words.reset}</TextButton>
            ) : null}
          </SectionHeading>
          <Note>{originText(run)}</Note>
          <ul className={styles.rows}>
            {run.fetches.map((tensor) => (
              <FetchRow key={tensor} tensor={tensor} run={run} />
            ))}
            {run.targets.map((target) => (
              <TargetRow key={target} target={target} run={run} />
            ))}
          </ul>
          {run.fetches.length + run.targets.length === 0 ? <p>{words.empty}</p> : null}
          <QueueNote run={run} />
          <AddField run={run} />
          <AddSelection run={run} />
        </Section>
      </RunColumn>
      <FeedColumn run={run} />
    </div>
  );
}

/** Python fills input queues in threads of its own, which a document does not have. */
function QueueNote({ run }: { readonly run: ChosenRun }): ReactElement | null {
  const document = useDocument((state) => state.document);
  const [queue, ...more] = waitedQueues(document, run);
  if (queue === undefined) return null;
  return (
    <RunWarning>
      {more.length > 0 ? words.queues({ queue, count: more.length }) : words.queue({ queue })}
    </RunWarning>
  );
}

function originText(run: ChosenRun): string {
  switch (run.origin) {
    case "user":
      return words.sources.chosen;
    case "train_op":
      return words.sources.training;
    case "losses":
      return words.sources.losses;
    case "signature":
      return words.signature({ signature: run.signature ?? "" });
    case "ends":
      return words.sources.results;
  }
}

function show(node: string): void {
  showInGraph([node]);
}

interface RowNameProps {
  readonly name: string;
  readonly title: string;
  onShow(): void;
}

function RowName({ name, title, onShow }: RowNameProps): ReactElement {
  return (
    <TextButton className={rowStyles.link} title={title} onClick={onShow}>
      {name}
    </TextButton>
  );
}

function FetchRow({ tensor, run }: { readonly tensor: string; readonly run: ChosenRun }): ReactElement {
  const { node, output } = parseTensorName(tensor);
  const def = useDocument((state) => state.document.nodes.get(node));
  const shape = useDocument((state) => shapeText(state.shapes.outputs.get(node)?.[output]));
  const slot = def && signatureOf(def, lookupOp)?.outputs[output];
  return (
    <li className={rowStyles.row}>
      <Icon name="table" size={14} />
      <NameAndType type={slot ? `${dtypeName(slot.dtype)} ${shape}` : ""}>
        <RowName name={tensor} title={words.showNode({ node })} onShow={() => show(node)} />
      </NameAndType>
      <IconButton
        small
        className={rowStyles.remove}
        icon="close"
        label={words.doNotFetch({ tensor })}
        onClick={() =>
          choose(
            { ...run, fetches: run.fetches.filter((name) => name !== tensor) },
            words.stopFetching({ tensor }),
          )
        }
      />
    </li>
  );
}

function TargetRow({ target, run }: { readonly target: string; readonly run: ChosenRun }): ReactElement {
  const op = useDocument((state) => state.document.nodes.get(target)?.op);
  return (
    <li className={rowStyles.row}>
      <Icon name="play" size={14} />
      <NameAndType type={words.effect({ op: op ?? "" })}>
        <RowName name={target} title={words.showTarget({ target })} onShow={() => show(target)} />
      </NameAndType>
      <IconButton
        small
        className={rowStyles.remove}
        icon="close"
        label={words.doNotRun({ target })}
        onClick={() =>
          choose(
            { ...run, targets: run.targets.filter((name) => name !== target) },
            words.doNotRun({ target }),
          )
        }
      />
    </li>
  );
}

function choose({ fetches, targets }: Runnable, label: string): boolean {
  return documentActions.chooseRun({ fetches, targets }, label);
}

function AddField({ run }: { readonly run: ChosenRun }): ReactElement {
  const document = useDocument((state) => state.document);
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const listId = useId();
  const errorId = useId();
  const add = () => {
    const runnable = readRunnable(document, lookupOp, text);
    if (typeof runnable === "string") {
      setError(runnable);
      return;
    }
    choose(joinRunnable(run, runnable), words.run({ target: text.trim() }));
    setText("");
    setError(undefined);
  };
  return (
    <form
      className={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <TextInput
        monospace
        value={text}
        aria-label={words.toAdd}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : errorId}
        placeholder={words.toAddPlaceholder}
        list={listId}
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
      />
      <datalist id={listId}>
        {completions(document, lookupOp, text).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit" icon="plus" disabled={text.trim() === ""}>
        {words.add}
      </Button>
      {error === undefined ? null : (
        <p className={styles.addError} id={errorId} role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

function AddSelection({ run }: { readonly run: ChosenRun }): ReactElement | null {
  const document = useDocument((state) => state.document);
  const selection = useDocument((state) => state.selection);
  const added = [...selection]
    .map((name) => runnableOf(document, lookupOp, name))
    .reduce<Runnable>(joinRunnable, { fetches: [], targets: [] });
  const joined = joinRunnable(run, added);
  const more = joined.fetches.length + joined.targets.length - run.fetches.length - run.targets.length;
  if (more === 0) return null;
  const [only] = selection;
  const what = selection.size === 1 ? (only ?? "") : words.selected({ count: selection.size });
  return (
    <Button
      size="small"
      icon="plus"
      className={styles.addSelection}
      onClick={() => choose(joined, words.runWhat({ what }))}
    >
      <span className={textStyles.truncated}>{words.addWhat({ what })}</span>
    </Button>
  );
}
