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

/** More endings do not fit into the field. */
const SHOWN_ENDINGS = 4;

type Props = Extract<DialogState, { kind: "file" }>;

/** Files of the machine that runs the application, for windows that have no dialog of the system's. */
export function FileDialog(props: Props): ReactElement {
  const { mode, title, extensions, suggestedName, folder, resolve } = props;
  const [directory, setDirectory] = useState<Directory>();
  const [problem, setProblem] = useState<Problem>();
  const [name, setName] = useState(suggestedName ?? "");
  const [typed, setTyped] = useState("");
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
    const isDocument = mode === "open" && extensions.includes("pb");
    if (isDocument && entry.savedModel !== undefined) answer(entry.savedModel);
    else if (entry.directory) void go(entry.path).then((shown) => shown && setTyped(""));
    else if (mode === "open") answer(entry.path);
    else setName(entry.name);
  };
  /** A folder whose path ends with a separator is shown, even if it is a SavedModel. */
  const takeTyped = async () => {
    const path = resolveName(directory?.path ?? "/", typed.trim());
    const bare = path.replace(/(?<=[^/\\:])[/\\]+$/, "");
    const entry = bare === path ? await find(path) : undefined;
    if (entry) take(entry);
    else if (await go(path)) setTyped("");
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
  const endings = extensions.map((ending) => `.${ending}`);
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
          <form
            className={styles.save}
            onSubmit={(event) => {
              event.preventDefault();
              if (typed.trim() === "") take(entries[chosen]);
              else void takeTyped();
            }}
          >
            <label className={styles.name}>
              <span>{words.path}</span>
              <TextInput
                value={typed}
                spellCheck={false}
                placeholder={
                  endings.length > 0 && endings.length <= SHOWN_ENDINGS
                    ? words.pathHint({ endings: endings.join(", ") })
                    : words.anyPathHint
                }
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
            <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
            <Button type="submit" variant="primary" disabled={typed.trim() === "" && entries.length === 0}>
              {words.open}
            </Button>
          </form>
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
        // Its keys choose; a path is typed where the list does not lead.
        data-first-focus={mode === "open" ? "" : undefined}
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
              setTyped("");
              if (mode === "save" && !entry.directory) setName(entry.name);
            }}
            onDoubleClick={() => take(entry)}
          >
            <Icon name={entry.directory ? "folder" : "file"} />
            <span className={textStyles.truncated}>{entry.name}</span>
            <span className={styles.fact}>{factOf(entry)}</span>
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
            {endings.length > 0 ? words.nothing({ endings: listText(endings) }) : words.nothingAtAll}
          </EmptyText>
        ) : null}
      </div>
    </Dialog>
  );
}

function factOf({ directory, savedModel, sizeBytes }: DirectoryEntry): string {
  if (savedModel !== undefined) return words.savedModel;
  return directory ? "" : bytesText(sizeBytes);
}

/** The file or folder of a path in its folder's list, with every ending: which one can be opened, its reader says. */
async function find(path: string): Promise<DirectoryEntry | undefined> {
  const folder = folderOf(path);
  const name = path.slice(folder.length).replace(/^[\\/]/, "");
  const all = { path: folder, extensions: [] };
  try {
    const { entries } = await client().call("files.list", all);
    return entries.find((entry) => entry.name === name);
  } catch {
    // The folder is not there; the list of the path itself says so.
    return undefined;
  }
}

function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf(".");
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
