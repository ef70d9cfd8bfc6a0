import { type KeyboardEvent, type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import type { Directory, DirectoryEntry } from "../../main/api/documents.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { crumbsOf, folderOf, resolveName, withExtension } from "../actions/paths.js";
import { ProblemView } from "../parts/problem-view.js";
import { type DialogState, uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { EmptyText } from "../ui/empty-text.js";
import { bytesText, listText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { TextInput } from "../ui/text-input.js";
import { useTypeAhead } from "../ui/use-type-ahead.js";
import styles from "./file-dialog.module.css";

const words = texts.dialogs.fileDialog;

type Props = Extract<DialogState, { kind: "file" }>;

/** Files of the machine that runs the application, for windows that have no dialog of the system's. */
export function FileDialog(props: Props): ReactElement {
  const { mode, title, extensions, suggestedName, folder, resolve } = props;
  const [directory, setDirectory] = useState<Directory>();
  const [problem, setProblem] = useState<Problem>();
  const [name, setName] = useState(suggestedName ?? "");
  const [chosen, setChosen] = useState(0);
  const [replaces, setReplaces] = useState<string>();
  const list = useRef<HTMLDivElement>(null);

  const go = useCallback(
    async (path: string | undefined): Promise<boolean> => {
      try {
        const found = await client().call("files.list", {
          extensions: [...extensions],
          ...(path === undefined ? {} : { path }),
        });
        setDirectory(found);
        setChosen(0);
        setProblem(undefined);
        setReplaces(undefined);
        return true;
      } catch (error) {
        setProblem(toProblem(error));
        return false;
      }
    },
    [extensions],
  );
  useEffect(() => {
    // A folder that is no longer there is no reason to show none.
    void go(folder).then((shown) => shown || folder === undefined || go(undefined));
  }, [go, folder]);

  const answer = (path: string) => {
    // Not uiActions.close(), which would report that the dialog was closed.
    useUi.setState({ dialog: undefined });
    resolve(path);
  };
  const take = (entry: DirectoryEntry | undefined) => {
    if (entry === undefined) return;
    if (entry.directory) void go(entry.path);
    else if (mode === "open") answer(entry.path);
    else setName(entry.name);
  };
  const save = async () => {
    const wanted = name.trim();
    if (wanted === "" || directory === undefined) return;
    const path = resolveName(directory.path, withExtension(wanted, extensions));
    const target = folderOf(path);
    try {
      // A name may point into another folder, where replacing a file also needs confirmation.
      const { entries: there } =
        target === directory.path
          ? directory
          : await client().call("files.list", { extensions: [...extensions], path: target });
      const exists = there.some(
        (entry) => !entry.directory && path.slice(target.length).replace(/^[\\/]/, "") === entry.name,
      );
      if (exists && replaces !== path) setReplaces(path);
      else answer(path);
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  const entries = directory?.entries ?? [];
  const choose = (row: number) => {
    setChosen(row);
    list.current?.children[row]?.scrollIntoView({ block: "nearest" });
  };
  const typeAhead = useTypeAhead(
    entries.map((entry) => entry.name),
    chosen,
    choose,
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next !== undefined) choose(Math.max(0, Math.min(entries.length - 1, next)));
    else if (event.key === "Enter") take(entries[chosen]);
    else if (event.key === "Backspace" && directory?.parent !== undefined) void go(directory.parent);
    else if (!typeAhead(event)) return;
    event.preventDefault();
  };

  return (
    <Dialog
      title={title}
      width="wide"
      onClose={uiActions.close}
      footer={
        mode === "save" ? (
          <form
            className={styles.save}
            onSubmit={(event) => {
              event.preventDefault();
              void save();
            }}
          >
            <label className={styles.name}>
              <span>{words.name}</span>
              <TextInput
                value={name}
                spellCheck={false}
                onChange={(event) => {
                  setName(event.target.value);
                  setReplaces(undefined);
                }}
                onFocus={(event) => selectStem(event.target)}
              />
            </label>
            {replaces ? (
              <span className={textStyles.error} role="alert">
                {words.exists}
              </span>
            ) : null}
            <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
            <Button
              type="submit"
              variant={replaces ? "danger" : "primary"}
              disabled={name.trim() === "" || directory === undefined}
            >
              {replaces ? words.replace : words.save}
            </Button>
          </form>
        ) : (
          <>
            <span className={classNames(textStyles.grow, textStyles.muted)}>
              {extensions.map((ending) => `.${ending}`).join(", ")}
            </span>
            <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
            <Button variant="primary" disabled={entries.length === 0} onClick={() => take(entries[chosen])}>
              {words.open}
            </Button>
          </>
        )
      }
    >
      <div className={styles.path}>
        <IconButton
          icon="chevron-up"
          label={words.parentFolder}
          disabled={directory?.parent === undefined}
          onClick={() => void go(directory?.parent)}
        />
        <nav className={styles.folders} aria-label={words.folder}>
          {crumbsOf(directory?.path ?? "").map(({ name: crumb, path }) => (
            <TextButton key={path} onClick={() => void go(path)}>
              {crumb}
            </TextButton>
          ))}
        </nav>
      </div>
      {problem ? (
        <DialogBody>
          <ProblemView problem={problem} />
        </DialogBody>
      ) : null}
      <div
        className={styles.list}
        ref={list}
        role="listbox"
        aria-label={words.files}
        tabIndex={0}
        aria-activedescendant={entries[chosen] ? `file-${chosen}` : undefined}
        onKeyDown={onKeyDown}
      >
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and its keys choose
          <div
            key={entry.path}
            id={`file-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classNames(styles.row, index === chosen && styles.chosen)}
            onClick={() => {
              setChosen(index);
              if (mode === "save" && !entry.directory) setName(entry.name);
            }}
            onDoubleClick={() => take(entry)}
          >
            <Icon name={entry.directory ? "folder" : "file"} />
            <span className={textStyles.truncated}>{entry.name}</span>
            <span className={styles.fact}>{entry.directory ? "" : bytesText(entry.sizeBytes)}</span>
            <span className={styles.fact}>
              {new Date(entry.modifiedAt).toLocaleString("en-GB", {
                dateStyle: "medium",
                timeStyle: "short",
              })}
            </span>
          </div>
        ))}
        {directory !== undefined && entries.length === 0 ? (
          <EmptyText>
            {words.nothing({ endings: listText(extensions.map((ending) => `.${ending}`)) })}
          </EmptyText>
        ) : null}
      </div>
    </Dialog>
  );
}

function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf(".");
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
