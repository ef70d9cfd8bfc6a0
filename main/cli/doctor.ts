/** `tensordeck doctor`: what keeps the machines of a cluster from reaching each other, for a terminal or a script. */
import { helpText } from "../../worker-runtime/cli/args.js";
import { failureText } from "../../worker-runtime/cli/failure.js";
import { cancelled, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { examine } from "./doctor/examine.js";
import { doctorCommand, readDoctorOptions } from "./doctor/options.js";
import { reportJson, reportText } from "./doctor/report.js";

/** Exit status: a problem keeps the cluster from working. */
const EXIT_ERRORS = 1;
/** Exit status of programs that were called with wrong arguments. */
const EXIT_USAGE = 2;

/** Returns 0 if no error was found, 1 if there was one, 2 if the arguments are wrong. */
export async function runDoctor(args: readonly string[]): Promise<number> {
  const options = await readDoctorOptions(args, process.env).catch((error: unknown) => {
    if (!(error instanceof TensorFlowError)) throw error;
    process.stderr.write(failureText(error));
    return undefined;
  });
  if (!options) return EXIT_USAGE;
  if (options.help) {
    process.stdout.write(helpText(doctorCommand));
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(cancelled("The examination was interrupted."));
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const progress = progressLine();
  try {
    const examination = await examine(options, { signal: interrupted.signal, onProgress: progress.show });
    progress.clear();
    process.stdout.write(options.json ? reportJson(examination) : reportText(examination));
    const { diagnoses } = examination.reachability;
    return diagnoses.some(({ severity }) => severity === "error") ? EXIT_ERRORS : 0;
  } finally {
    progress.clear();
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

/** One line that is updated in place on a terminal; nothing elsewhere. */
function progressLine(): { show: (text: string) => void; clear: () => void } {
  const { stderr } = process;
  let shown = false;
  const clear = () => {
    if (shown) stderr.write("\r\u001b[K");
    shown = false;
  };
  return {
    show: (text) => {
      if (!stderr.isTTY) return;
      stderr.write(`\r\u001b[K${text}`);
      shown = true;
    },
    clear,
  };
}
