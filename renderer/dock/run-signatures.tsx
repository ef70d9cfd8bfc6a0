/** The signatures of a graph, one of which can be run, and whether a SavedModel has its saved values. */
import type { ReactElement } from "react";
import type { SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { servingSignatures, signatureRun, tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { runWithoutValues, runWithValues } from "../actions/restore-actions.js";
import type { ChosenRun } from "../document/run-inputs.js";
import { Note, Section, SectionHeading } from "../parts/section.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { NameAndType } from "./name-and-type.js";
import { RunColumn, RunWarning } from "./run-column.js";
import styles from "./run-signatures.module.css";
import { previewText } from "./tensor-text.js";

const words = texts.dock.runSignatures;

/** Nothing for a graph that is no SavedModel and has no signature. */
export function SignatureColumn({ run }: { readonly run: ChosenRun }): ReactElement | null {
  const metaGraph = useDocument((state) => state.document.metaGraph);
  const isSavedModel = useDocument((state) => state.document.kind === "saved_model");
  const signatures = servingSignatures(metaGraph);
  if (signatures.length === 0 && !isSavedModel) return null;
  return (
    <RunColumn label={words.signatures}>
      {isSavedModel ? <SavedValues /> : null}
      <Section last>
        <SectionHeading>{words.signatures}</SectionHeading>
        {signatures.length === 0 ? <Note>{words.none}</Note> : null}
        {signatures.map(([name, signature]) => (
          <Signature key={name} name={name} signature={signature} run={run} />
        ))}
      </Section>
    </RunColumn>
  );
}

function SavedValues(): ReactElement {
  const withoutValues = useSavedModel((state) => state.withoutValues);
  return (
    <Section>
      <SectionHeading>{words.savedValues}</SectionHeading>
      {withoutValues ? <RunWarning>{words.leftOut}</RunWarning> : <Note>{words.restored}</Note>}
      <TextButton className={styles.valuesButton} onClick={withoutValues ? runWithValues : runWithoutValues}>
        {withoutValues ? words.use : words.leaveOut}
      </TextButton>
    </Section>
  );
}

interface SignatureProps {
  readonly name: string;
  readonly signature: SignatureDef;
  readonly run: ChosenRun;
}

function Signature({ name, signature, run }: SignatureProps): ReactElement {
  const document = useDocument((state) => state.document);
  const wanted = signatureRun({ nodes: document.nodes, opDef: lookupOp }, name, signature);
  const chosen = sameNames(wanted.fetches, run.fetches) && sameNames(wanted.targets, run.targets);
  return (
    <div className={styles.signature}>
      <label>
        <input
          type="radio"
          name="signature"
          checked={chosen}
          onChange={() => documentActions.chooseRun(wanted, words.run({ name }))}
        />
        <b className={styles.signatureName}>{name}</b>
      </label>
      <Ends title={words.takes} infos={signature.inputs} />
      <Ends title={words.gives} infos={signature.outputs} values />
    </div>
  );
}

interface EndsProps {
  readonly title: string;
  readonly infos: ReadonlyMap<string, TensorInfo>;
  /** Show what the newest run fetched for them. */
  readonly values?: boolean;
}

function Ends({ title, infos, values = false }: EndsProps) {
  return [...infos].map(([name, info], index) => (
    <div className={styles.end} key={name} title={tensorsOf(info).join(", ")}>
      <span className={styles.title}>{index === 0 ? title : ""}</span>
      <NameAndType type={typeText(info)}>
        <span className={styles.name}>{name}</span>
      </NameAndType>
      {values ? <Value info={info} /> : null}
    </div>
  ));
}

/** The results of the newest run of the present graph. */
function Value({ info }: { readonly info: TensorInfo }): ReactElement | null {
  const revision = useDocument((state) => state.revision);
  const fresh = useDocumentRun((state) => state.runRevision === revision);
  const fetched = useDocumentRun((state) =>
    state.latest?.fetches.find(({ name }) => tensorsOf(info).includes(name)),
  );
  if (!fresh || !fetched) return null;
  return (
    <b className={classNames(textStyles.monospace, textStyles.truncated, styles.value)}>
      {previewText(fetched)}
    </b>
  );
}

function typeText({ dtype, tensorShape }: TensorInfo): string {
  const sizes = tensorShape?.dim.map(({ size }) => (size < 0n ? "?" : String(size)));
  const shape = tensorShape === undefined || tensorShape.unknownRank ? "" : ` [${sizes?.join(",")}]`;
  return `${dtypeName(dtype)}${shape}`;
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
