import { type ReactElement, useCallback, useEffect, useState } from "react";
import type { Result } from "../../main/api/contract.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { chooseKubeconfig, connectKubernetes } from "../actions/kubernetes-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./connect-form.module.css";

const words = texts.kubernetes.connectForm;

type Contexts = Result<"kubernetes.contexts">;

/**
 * Asks for a context of a kubeconfig, and connects to it.
 *
 * @param given the kubeconfig that was chosen; left out: the one that kubectl finds
 */
export function ConnectForm({ given = "" }: { readonly given?: string | undefined }): ReactElement {
  const [kubeconfig, setKubeconfig] = useState(given);
  const [contexts, setContexts] = useState<Contexts>([]);
  const [context, setContext] = useState("");
  const [namespace, setNamespace] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [isConnecting, setConnecting] = useState(false);
  const read = useCallback(async (path: string) => {
    try {
      const found = await client().call("kubernetes.contexts", path === "" ? {} : { kubeconfig: path });
      setContexts(found);
      setContext((found.find(({ current }) => current) ?? found[0])?.name ?? "");
      setProblem(undefined);
    } catch (error) {
      setContexts([]);
      setContext("");
      setProblem(toProblem(error));
    }
  }, []);
  useEffect(() => void read(given), [read, given]);
  const chosen = contexts.find(({ name }) => name === context);
  const connect = async () => {
    setConnecting(true);
    try {
      await connectKubernetes({
        context,
        ...(kubeconfig !== "" && { kubeconfig }),
        ...(namespace !== "" && { namespace }),
      });
    } catch (error) {
      setProblem(toProblem(error));
      setConnecting(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
      <DialogBody className={styles.fields}>
        <p>{words.explanation}</p>
        <div className={styles.file}>
          <FieldLabel>
            <span>{words.kubeconfig}</span>
            <TextInput
              value={kubeconfig}
              placeholder={words.kubeconfigDefault}
              spellCheck={false}
              onChange={(event) => setKubeconfig(event.target.value.trim())}
            />
          </FieldLabel>
          <Button onClick={() => void chooseKubeconfig(kubeconfig)}>{words.choose}</Button>
          <Button onClick={() => void read(kubeconfig)}>{words.read}</Button>
        </div>
        <FieldLabel>
          <span>{words.context}</span>
          <SelectInput
            value={context}
            disabled={contexts.length === 0}
            onChange={(event) => setContext(event.target.value)}
          >
            {contexts.map(({ name, current }) => (
              <option key={name} value={name}>
                {current ? words.currentContext({ context: name }) : name}
              </option>
            ))}
          </SelectInput>
        </FieldLabel>
        {chosen ? <p className={textStyles.monospace}>{chosen.server}</p> : null}
        <FieldLabel>
          <span>{words.namespace}</span>
          <TextInput
            value={namespace}
            placeholder={chosen?.namespace ?? words.defaultNamespace}
            spellCheck={false}
            onChange={(event) => setNamespace(event.target.value.trim())}
          />
        </FieldLabel>
        {problem ? <ProblemView problem={problem} /> : null}
      </DialogBody>
      <DialogFooter>
        <span className={textStyles.grow} />
        <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
        <Button type="submit" variant="primary" disabled={context === "" || isConnecting}>
          {isConnecting ? words.connecting : words.connect}
        </Button>
      </DialogFooter>
    </form>
  );
}
