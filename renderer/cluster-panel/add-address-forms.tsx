/** Forms for an address: of another machine with Tensordeck, or of a running TensorFlow server. */
import { type FormEvent, type ReactElement, type ReactNode, useState } from "react";
import { jobNameSchema } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { addForeign } from "../actions/cluster-actions.js";
import { addMachine } from "../actions/machine-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./add-form.module.css";
import { Field } from "./form-fields.js";

const words = texts.clusterPanel.addAddressForms;

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s:/]+):(\d{1,5})$/i;

/** The problem with "host:port" of a server; undefined if there is none. */
export function serverAddressError(address: string): string | undefined {
  const match = HOST_AND_PORT.exec(address.trim());
  if (match === null) return words.hostPort;
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? undefined : words.port;
}

/** Sends the request and shows its progress; an error is shown in the form, which keeps its text. */
function useAsking(onDone: () => void) {
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const ask = (action: () => Promise<void>) => {
    setAsking(true);
    setProblem(undefined);
    void action()
      .then(onDone, (error: unknown) => setProblem(toProblem(error)))
      .finally(() => setAsking(false));
  };
  return { asking, problem, ask };
}

interface FrameProps {
  readonly label: string;
  readonly ready: boolean;
  readonly asking: boolean;
  readonly problem: Problem | undefined;
  readonly children: ReactNode;
  onSubmit(): void;
}

function Frame({ label, ready, asking, problem, children, onSubmit }: FrameProps): ReactElement {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !asking) onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
      {problem ? <ProblemView problem={problem} /> : null}
      <Button type="submit" variant="primary" wide disabled={!ready || asking}>
        {asking ? (
          <>
            <Spinner />
            {words.asking}
          </>
        ) : (
          label
        )}
      </Button>
    </form>
  );
}

/** Adds a machine that was not found automatically. */
export function AddMachineForm({ onDone }: { onDone(): void }): ReactElement {
  const [address, setAddress] = useState("");
  const { asking, problem, ask } = useAsking(onDone);
  const wanted = address.trim();
  return (
    <Frame
      label={words.addMachine}
      ready={wanted !== ""}
      asking={asking}
      problem={problem}
      onSubmit={() => ask(() => addMachine(wanted))}
    >
      <Field
        label={words.machineLabel}
        value={address}
        placeholder={words.machinePlaceholder}
        onChange={setAddress}
      />
      <p className={textStyles.muted}>{words.machineNote}</p>
    </Frame>
  );
}

/** Adds a TensorFlow server that was started outside Tensordeck. */
export function AddServerForm({ onDone }: { onDone(): void }): ReactElement {
  const [address, setAddress] = useState("");
  const [job, setJob] = useState("worker");
  const [left, setLeft] = useState(false);
  const { asking, problem, ask } = useAsking(onDone);
  const wanted = jobNameSchema.safeParse(job.trim());
  const addressError = serverAddressError(address);
  return (
    <Frame
      label={words.addServer}
      ready={wanted.success && addressError === undefined}
      asking={asking}
      problem={problem}
      onSubmit={() => ask(() => addForeign({ address: address.trim(), job: job.trim() }))}
    >
      <Field
        label={words.serverLabel}
        value={address}
        placeholder="192.168.1.40:2222"
        error={left && address !== "" ? addressError : undefined}
        onBlur={() => setLeft(true)}
        onChange={setAddress}
      />
      <Field
        label={words.job}
        value={job}
        error={wanted.success ? undefined : words.jobName}
        onChange={setJob}
      />
      <p className={textStyles.muted}>{words.serverNote}</p>
    </Frame>
  );
}
