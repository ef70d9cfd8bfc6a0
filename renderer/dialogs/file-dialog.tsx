import { type KeyboardEvent, type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import type { Directory, DirectoryEntry } from "../../main/api/documents.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { crumbsOf, folderOf, resolveName, withExtension } from "../actions/paths.js";
import { ProblemView } from "../parts/problem-view.js";
import { type DialogState, uiActions, useUi } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { Button, IconButton } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { bytesText, listText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

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
    // Not uiActions.close(), which would answer that the dialog was closed.
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
      // A name may lead into another folder, where a file must not be replaced unasked either.
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
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next !== undefined) {
      const row = Math.max(0, Math.min(entries.length - 1, next));
      setChosen(row);
      list.current?.children[row]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") take(entries[chosen]);
    else if (event.key === "Backspace" && directory?.parent !== undefined) void go(directory.parent);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog
      title={title}
      wide
      onClose={uiActions.close}
      footer={
        mode === "save" ? (
          <form
            className="file-save"
            onSubmit={(event) => {
              event.preventDefault();
              void save();
            }}
          >
            <label className="file-name">
              <span>Name</span>
              <input
                className="text-input"
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
              <span className="field-error" role="alert">
                This file exists.
              </span>
            ) : null}
            <Button onClick={uiActions.close}>Cancel</Button>
            <Button type="submit" variant={replaces ? "danger" : "primary"} disabled={name.trim() === ""}>
              {replaces ? "Replace" : "Save"}
            </Button>
          </form>
        ) : (
          <>
            <span className="grow fg2">{extensions.map((ending) => `.${ending}`).join(", ")}</span>
            <Button onClick={uiActions.close}>Cancel</Button>
            <Button variant="primary" disabled={entries.length === 0} onClick={() => take(entries[chosen])}>
              Open
            </Button>
          </>
        )
      }
    >
      <div className="file-path">
        <IconButton
          icon="chevron-up"
          label="Parent folder"
          disabled={directory?.parent === undefined}
          onClick={() => void go(directory?.parent)}
        />
        <nav className="crumbs" aria-label="Folder">
          {crumbsOf(directory?.path ?? "").map(({ name: crumb, path }) => (
            <button key={path} type="button" className="lk" onClick={() => void go(path)}>
              {crumb}
            </button>
          ))}
        </nav>
      </div>
      {problem ? (
        <div className="dlg-body">
          <ProblemView problem={problem} />
        </div>
      ) : null}
      <div
        className="file-list"
        ref={list}
        role="listbox"
        aria-label="Files"
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
            className={index === chosen ? "file-row on" : "file-row"}
            onClick={() => {
              setChosen(index);
              if (mode === "save" && !entry.directory) setName(entry.name);
            }}
            onDoubleClick={() => take(entry)}
          >
            <Icon name={entry.directory ? "folder" : "file"} />
            <span className="ell">{entry.name}</span>
            <span className="fg2">{entry.directory ? "" : bytesText(entry.sizeBytes)}</span>
            <span className="fg2">
              {new Date(entry.modifiedAt).toLocaleString("en-GB", {
                dateStyle: "medium",
                timeStyle: "short",
              })}
            </span>
          </div>
        ))}
        {directory !== undefined && entries.length === 0 ? (
          <p className="empty">
            No folders and no {listText(extensions.map((ending) => `.${ending}`))} files here.
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}

function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf(".");
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
