import { Popover } from "radix-ui";
import { type FormEvent, type ReactElement, useId, useState } from "react";
import { jobNameSchema } from "../../main/api/cluster.js";
import { attempt } from "../stores/app-store.js";
import { addTasksIfAllowed } from "../stores/cluster-actions.js";
import { useCluster } from "../stores/cluster-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";

const MOST_AT_ONCE = 16;

/** The plus of the cluster panel: a small form for tasks of any job. */
export function AddTasks(): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" className="ib" aria-label="Add tasks" title="Add tasks">
          <Icon name="plus" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu add-tasks"
          align="start"
          side="bottom"
          sideOffset={4}
          collisionPadding={8}
        >
          <AddForm onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function AddForm({ onDone }: { onDone(): void }): ReactElement {
  const [job, setJob] = useState("worker");
  const [count, setCount] = useState("1");
  const tasks = useCluster((state) => state.tasks);
  const runtime = useRuntime((state) => state.state?.runtime);
  const jobs = [...new Set(["worker", "ps", ...tasks.map((task) => task.job)])];
  const listId = useId();
  const parsedJob = jobNameSchema.safeParse(job.trim());
  const number = Number(count);
  const countValid = Number.isInteger(number) && number >= 1 && number <= MOST_AT_ONCE;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!parsedJob.success || !countValid) return;
    onDone();
    attempt(() => addTasksIfAllowed(parsedJob.data, number));
  };
  return (
    <form onSubmit={submit}>
      <label className="field">
        <span>Job</span>
        <input
          className="text-input"
          list={listId}
          value={job}
          onChange={(event) => setJob(event.target.value)}
          aria-invalid={!parsedJob.success}
          spellCheck={false}
        />
      </label>
      <datalist id={listId}>
        {jobs.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {parsedJob.success ? null : (
        <p className="field-error" role="alert">
          A job name is a letter followed by letters, digits or underscores.
        </p>
      )}
      <label className="field">
        <span>Number of tasks</span>
        <input
          className="text-input"
          type="number"
          min={1}
          max={MOST_AT_ONCE}
          value={count}
          onChange={(event) => setCount(event.target.value)}
          aria-invalid={!countValid}
        />
      </label>
      <p className="fg2">
        Engine:{" "}
        {runtime
          ? `TensorFlow ${runtime.version}${runtime.gpu ? " GPU" : ""}`
          : "none yet, install a TensorFlow runtime first"}
      </p>
      <Button type="submit" variant="primary" wide disabled={!parsedJob.success || !countValid}>
        Add and start
      </Button>
    </form>
  );
}
