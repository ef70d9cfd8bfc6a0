/** The feeds of a run, with fields to edit them. */
import type { ReactElement } from "react";
import type { TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { servingSignatures, tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { type ChosenRun, hasBatches, neededPlaceholders } from "../document/run-inputs.js";
import { parseTensorName } from "../document/tensor-names.js";
import { FeedSection } from "../parts/feed-section.js";
import { HeadingAside, Note, Section, SectionHeading } from "../parts/section.js";
import { useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { selectInGraph } from "../viewport/travel.js";
import { BatchOptions } from "./batch-options.js";
import { RunColumn } from "./run-column.js";
import styles from "./run-feeds.module.css";

const words = texts.dock.runFeeds;

/** More would be no list to fill in. */
const MAX_SHOWN = 50;

export function FeedColumn({ run }: { readonly run: ChosenRun }): ReactElement {
  const document = useDocument((state) => state.document);
  const needed = neededPlaceholders(document, run);
  const fed = Object.keys(document.runConfig.feeds).map((name) => parseTensorName(name).node);
  const inputs = servingSignatures(document.metaGraph)
    .filter(([, { outputs }]) => isRun(outputs, run))
    .flatMap(([, signature]) => [...signature.inputs]);
  const names = new Map(
    inputs.flatMap(([name, info]) => tensorsOf(info).map((tensor) => [parseTensorName(tensor).node, name])),
  );
  const all = [...new Set([...names.keys(), ...needed, ...fed])].filter((name) => document.nodes.has(name));
  const missing = needed.filter((name) => !fed.includes(name)).length;
  return (
    <RunColumn label={words.feeds}>
      <Section>
        <SectionHeading>{words.feeds}</SectionHeading>
        <Note>
          {all.length === 0
            ? words.nothing
            : missing === 0
              ? words.complete
              : words.missing({ count: missing })}
        </Note>
        {hasBatches(document.runConfig.feeds) ? <BatchOptions batches={document.runConfig.batches} /> : null}
      </Section>
      {all.slice(0, MAX_SHOWN).map((name) => {
        const node = document.nodes.get(name);
        const input = names.get(name);
        return node ? (
          <FeedSection
            key={name}
            node={node}
            title={
              <>
                <TextButton
                  className={classNames(textStyles.truncated, styles.node)}
                  onClick={() => selectInGraph([name])}
                >
                  {input === undefined || input === name ? name : `${input} (${name})`}
                </TextButton>
                {needed.includes(name) || input !== undefined ? null : (
                  <HeadingAside>{words.notNeededNow}</HeadingAside>
                )}
              </>
            }
          />
        ) : null;
      })}
      {all.length > MAX_SHOWN ? <Note>{words.more({ count: all.length - MAX_SHOWN })}</Note> : null}
    </RunColumn>
  );
}

/** Whether a run fetches an output of a signature. */
function isRun(outputs: ReadonlyMap<string, TensorInfo>, run: ChosenRun): boolean {
  return [...outputs.values()].flatMap(tensorsOf).some((tensor) => run.fetches.includes(tensor));
}
