/** The signatures of a graph, one of which can be run, and whether a SavedModel has its saved values. */
import type { ReactElement } from "react";
import type { SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { servingSignatures, signatureRun, tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { runWithoutValues, runWithValues } from "../actions/restore-actions.js";
import type { ChosenRun } from "../document/run-inputs.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { Icon } from "../ui/icon.js";
import { previewText } from "./tensor-text.js";

/** Nothing for a graph that is no SavedModel and has no signature. */
export function SignatureColumn({ run }: { readonly run: ChosenRun }): ReactElement | null {
  const metaGraph = useDocument((state) => state.document.metaGraph);
  const isSavedModel = useDocument((state) => state.document.kind === "saved_model");
  const signatures = servingSignatures(metaGraph);
  if (signatures.length === 0 && !isSavedModel) return null;
  return (
    <section className="inspector run-column" aria-label="Signatures">
      {isSavedModel ? <SavedValues /> : null}
      <div className="sec last">
        <h3>Signatures</h3>
        {signatures.length === 0 ? <p className="note">The model has none. Choose what to fetch.</p> : null}
        {signatures.map(([name, signature]) => (
          <Signature key={name} name={name} signature={signature} run={run} />
        ))}
      </div>
    </section>
  );
}

function SavedValues(): ReactElement {
  const withoutValues = useSavedModel((state) => state.withoutValues);
  return (
    <div className="sec">
      <h3>Saved values</h3>
      {withoutValues ? (
        <p className="warn-line" role="status">
          <Icon name="warning" size={14} />
          <span>Left out: what the graph gives is not what the model predicts.</span>
        </p>
      ) : (
        <p className="note">Variables and tables get their saved values before the first run.</p>
      )}
      <button type="button" className="lk" onClick={withoutValues ? runWithValues : runWithoutValues}>
        {withoutValues ? "Use the saved values" : "Run without them"}
      </button>
    </div>
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
    <div className="signature">
      <label>
        <input
          type="radio"
          name="signature"
          checked={chosen}
          onChange={() => documentActions.chooseRun(wanted, `Run the signature ${name}`)}
        />
        <b className="ell">{name}</b>
      </label>
      <Ends title="takes" infos={signature.inputs} />
      <Ends title="gives" infos={signature.outputs} values />
    </div>
  );
}

interface EndsProps {
  readonly title: string;
  readonly infos: ReadonlyMap<string, TensorInfo>;
  /** Show what the newest run fetched of them. */
  readonly values?: boolean;
}

function Ends({ title, infos, values = false }: EndsProps) {
  return [...infos].map(([name, info], index) => (
    <div className="io" key={name} title={tensorsOf(info).join(", ")}>
      <span className="fg2 what">{index === 0 ? title : ""}</span>
      <span className="ell">{name}</span>
      <span className="mono">{typeText(info)}</span>
      {values ? <Value info={info} /> : null}
    </div>
  ));
}

/** What the newest run of the present graph gave. */
function Value({ info }: { readonly info: TensorInfo }): ReactElement | null {
  const revision = useDocument((state) => state.revision);
  const fresh = useDocumentRun((state) => state.runRevision === revision);
  const fetched = useDocumentRun((state) =>
    state.latest?.fetches.find(({ name }) => tensorsOf(info).includes(name)),
  );
  if (!fresh || !fetched) return null;
  return <b className="mono ell value">{previewText(fetched)}</b>;
}

function typeText({ dtype, tensorShape }: TensorInfo): string {
  const sizes = tensorShape?.dim.map(({ size }) => (size < 0n ? "?" : String(size)));
  const shape = tensorShape === undefined || tensorShape.unknownRank ? "" : ` [${sizes?.join(",")}]`;
  return `${dtypeName(dtype)}${shape}`;
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
