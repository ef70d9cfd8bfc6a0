/** The functions of the graph's library, below the ops: each is opened from here. */
import { type ReactElement, useMemo, useRef } from "react";
import { functionCommands, libraryCommands } from "../commands/function-commands.js";
import { type FunctionUse, functionUses, libraryOf, nameOf } from "../document/library.js";
import { CommandButton } from "../parts/command-button.js";
import { useDocument } from "../stores/document-store.js";
import { useShownFunction } from "../stores/function-bodies.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import styles from "./function-list.module.css";

const words = texts.opsPanel.functionList;

const ROW_HEIGHT = 28;

export function FunctionList(): ReactElement | null {
  const count = useDocument(({ document }) => libraryOf(document.metaGraph).size);
  return count === 0 ? null : <Functions />;
}

function Functions(): ReactElement {
  const nodes = useDocument(({ document }) => document.nodes);
  const metaGraph = useDocument(({ document }) => document.metaGraph);
  const uses = useMemo(() => functionUses({ nodes, metaGraph }), [nodes, metaGraph]);
  const frame = useRef<HTMLDivElement>(null);
  const { items, before, after, measure } = useVirtualRows(frame, uses.length, ROW_HEIGHT);
  return (
    <section className={styles.functions} aria-label={words.label}>
      <div className={styles.head}>
        <b>{words.heading}</b>
        <span className={textStyles.muted}>{uses.length}</span>
        <span className={textStyles.grow} />
        {uses.some(({ isUsed }) => !isUsed) ? (
          <CommandButton command={libraryCommands.deleteUnused} size="small" variant="ghost" />
        ) : null}
      </div>
      <div ref={frame} className={styles.rows}>
        <ul style={{ paddingTop: before, paddingBottom: after }}>
          {items.map(({ index }) => {
            const use = uses[index];
            return use ? (
              <li
                key={nameOf(use.definition)}
                ref={measure}
                className={styles.row}
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={uses.length}
              >
                <FunctionRow use={use} />
              </li>
            ) : null;
          })}
        </ul>
      </div>
    </section>
  );
}

function FunctionRow({ use: { definition, calls } }: { readonly use: FunctionUse }): ReactElement {
  const name = nameOf(definition);
  const isShown = useShownFunction() === name;
  const shownName = <span className={classNames(textStyles.monospace, textStyles.truncated)}>{name}</span>;
  return (
    <>
      {isShown ? (
        <span className={classNames(styles.name, styles.shown)} aria-current="location">
          {shownName}
        </span>
      ) : (
        <CommandButton
          command={functionCommands.open}
          target={name}
          size="small"
          variant="ghost"
          spoken="named"
          className={styles.name}
        >
          {() => shownName}
        </CommandButton>
      )}
      <span className={classNames(textStyles.muted, styles.calls)}>
        {calls === 0 ? words.notCalled : words.calls({ count: calls })}
      </span>
      <CommandButton
        command={functionCommands.rename}
        target={name}
        size="small"
        variant="ghost"
        text="short"
        spoken="named"
      />
    </>
  );
}
