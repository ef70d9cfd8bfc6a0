/** The program of a script's pod: a small program of the shell, and the commands that are given to it. Pure. */
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { shellCommand, shellWord } from "../../../worker-runtime/cluster/orchestrators/shell-words.js";
import { clusterFlags, type ScriptCluster, taskVariables } from "../../scripts/task-environment.js";

/** The folder of a job in its pods, which the program finds in this variable. */
export const JOB_VARIABLE = "TENSORDECK_JOB";
export const JOB_FOLDER = "/tensordeck";

/** How long a pod waits for files, for another start, and for its outputs to be fetched: ten minutes. */
const MOST_ROUNDS = 3000;

/**
 * Waits for the files start.1, start.2, …, each of which starts the script, and says in its output how each start ended:
 * the token, the number, the exit code. It ends with the file finish, when it is asked to, or when nobody comes: the pod of
 * a machine that was switched off does not occupy a GPU forever.
 */
export const POD_PROGRAM = `
cd "$${JOB_VARIABLE}" && mkdir -p files || exit 1
n=1 code=0 rounds=0 pid= ending=
trap 'ending=1; [ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null' TERM INT
while :; do
  if [ -e "start.$n" ] && [ -z "$ending" ]; then
    ( cd files && . "../start.$n" ) &
    pid=$!
    echo "$pid" > pid
    wait "$pid"; code=$?
    while kill -0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done
    pid=
    rm -f pid
    echo "$1 $n $code"
    n=$((n + 1)) rounds=0
  elif [ -e finish ] || [ -n "$ending" ] || [ "$rounds" -ge ${MOST_ROUNDS} ]; then
    exit "$code"
  else
    sleep 0.2 2>/dev/null || sleep 1
    rounds=$((rounds + 1))
  fi
done
`;

export interface ScriptStart {
  readonly python: string;
  /** Path of the script within the folder. */
  readonly script: string;
  readonly args: readonly string[];
  /** Whether the script reads --job_name, --task_index and hosts. */
  readonly passFlags: boolean;
  readonly cluster: ScriptCluster;
  readonly task: TaskName;
  /** Whether it is to see no GPU. */
  readonly hidesGpus: boolean;
}

/** The contents of a start file. */
export function startText({
  python,
  script,
  args,
  passFlags,
  cluster,
  task,
  hidesGpus,
}: ScriptStart): string {
  const variables = taskVariables(task, cluster, hidesGpus ? "-1" : undefined);
  const flags = passFlags ? clusterFlags(task, cluster) : [];
  return [
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`),
    `exec ${shellCommand([python, script, ...flags, ...args])}`,
    "",
  ].join("\n");
}

/** Reads so many bytes of a tar archive from the input, and unpacks them as the script's folder. */
export function unpackCommand(bytes: number): string[] {
  return shell(
    `mkdir -p "$${JOB_VARIABLE}/files" && cd "$${JOB_VARIABLE}/files" && head -c "$1" | tar -x -o -f - && touch ../uploaded`,
    String(bytes),
  );
}

/** Reads so many bytes from the input as the nth start file. */
export function startCommand(n: number, bytes: number): string[] {
  return shell(
    `cd "$${JOB_VARIABLE}" && head -c "$2" > start.new && mv start.new "start.$1"`,
    String(n),
    String(bytes),
  );
}

/** Installs a file of requirements. */
export function installCommand(python: string, requirements: string): string[] {
  return shell(
    `cd "$${JOB_VARIABLE}/files" && "$1" -m pip install --no-input --quiet --disable-pip-version-check -r "$2"`,
    python,
    requirements,
  );
}

/** Sends a signal to the script, if it runs. */
export function signalCommand(signal: "TERM" | "KILL"): string[] {
  return shell(`kill -${signal} "$(cat "$${JOB_VARIABLE}/pid")"`);
}

/** Writes a tar archive of the files below a folder that are newer than what was sent; nothing if there are none. */
export function packCommand(under: string | undefined): string[] {
  const find = `find "./$1" -type f -newer ../uploaded > ../outputs`;
  return shell(
    `cd "$${JOB_VARIABLE}/files" && { [ ! -e "./$1" ] || ${find}; } && { [ ! -s ../outputs ] || tar -c -f - -T ../outputs; }`,
    under ?? "",
  );
}

/** The pod's program ends with the exit code of the last start. */
export function finishCommand(): string[] {
  return shell(`touch "$${JOB_VARIABLE}/finish"`);
}

function shell(text: string, ...args: readonly string[]): string[] {
  return ["sh", "-c", text, "tensordeck", ...args];
}

/** How a start ended, if a line of the output says so; `before` is what the script wrote without ending its line. */
export function endOfStart(
  line: string,
  token: string,
): { readonly before: string; readonly n: number; readonly code: number } | undefined {
  const at = line.lastIndexOf(`${token} `);
  if (at === -1) return undefined;
  const [, n, code] = /^(\d+) (\d+)$/.exec(line.slice(at + token.length + 1)) ?? [];
  return n === undefined ? undefined : { before: line.slice(0, at), n: Number(n), code: Number(code) };
}
