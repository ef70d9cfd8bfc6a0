/** What a run has to be fed, with the fields to do so. */
import type { ReactElement } from "react";
import type { TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { servingSignatures, tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { type ChosenRun, neededPlaceholders } from "../document/run-inputs.js";
import { parseTensorName } from "../document/tensor-names.js";
import { FeedSection } from "../parts/feed-section.js";
import { documentActions, useDocument } from "../stores/document-store.js";

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
    <section className="inspector run-column" aria-label="Feeds">
      <div className="sec">
        <h3>Feeds</h3>
        <p className="note">
          {all.length === 0
            ? "Nothing has to be fed."
            : missing === 0
              ? "Everything that is needed has a value."
              : `${missing === 1 ? "1 placeholder has" : `${missing} placeholders have`} no value yet.`}
        </p>
      </div>
      {all.slice(0, MAX_SHOWN).map((name) => {
        const node = document.nodes.get(name);
        const input = names.get(name);
        return node ? (
          <FeedSection
            key={name}
            node={node}
            title={
              <>
                <button type="button" className="lk ell" onClick={() => documentActions.select([name])}>
                  {input === undefined || input === name ? name : `${input} (${name})`}
                </button>
                {needed.includes(name) || input !== undefined ? null : (
                  <span className="n fg2">not needed now</span>
                )}
              </>
            }
          />
        ) : null;
      })}
      {all.length > MAX_SHOWN ? <p className="note">and {all.length - MAX_SHOWN} more</p> : null}
    </section>
  );
}

/** Whether a run fetches an output of a signature. */
function isRun(outputs: ReadonlyMap<string, TensorInfo>, run: ChosenRun): boolean {
  return [...outputs.values()].flatMap(tensorsOf).some((tensor) => run.fetches.includes(tensor));
}
