/** A cluster as a table that is being edited: rows may be invalid, and each has its problem and how to fix it. */
import { addressProblem, formatHostPort, parseHostPort } from "./address.js";
import { ClusterSpec } from "./cluster-spec.js";
import { isLoopback } from "./host.js";

/**
 * One task as a row. Facts that a ClusterSpec lacks (machine, engine, GPU) are kept by the code that shows the table.
 */
export interface TableRow {
  readonly job: string;
  readonly index: number;
  /** As typed; empty: to be chosen. */
  readonly address: string;
  /** The machine that runs the task, by any distinguishing name; empty: none of ours. */
  readonly machine: string;
}

export interface RowFix {
  /** On the button: "Use 2224". */
  readonly label: string;
  readonly row: TableRow;
}

export interface RowProblem {
  /** Position in the table, 0-based. */
  readonly row: number;
  readonly field: "job" | "index" | "address" | "machine";
  /** One sentence that says what is wrong. */
  readonly message: string;
  readonly fix?: RowFix;
}

export interface TableContext {
  /** False if every task is named on the loopback interface because tunnels carry the connections. */
  readonly addressesCrossMachines: boolean;
}

/** TensorFlow's examples count their ports up from here. */
export const FIRST_TASK_PORT = 2222;
const MAX_PORT = 65_535;
const JOB_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * The problems that prevent the table from being applied, in the order of the rows; at most one per row, the first to
 * fix.
 */
export function tableProblems(rows: readonly TableRow[], context: TableContext): RowProblem[] {
  return rows.flatMap((row, position) => rowProblem(rows, row, position, context) ?? []);
}

function rowProblem(
  rows: readonly TableRow[],
  row: TableRow,
  position: number,
  context: TableContext,
): RowProblem | undefined {
  const { job, index, address } = row;
  if (!JOB_NAME.test(job)) {
    return {
      row: position,
      field: "job",
      message:
        job === ""
          ? "Every task has a job."
          : `"${job}" is not a job name: a letter, then letters, digits or _.`,
    };
  }
  const before = rows.slice(0, position);
  if (before.some((other) => other.job === job && other.index === index)) {
    const free = nextIndex(rows, job);
    return {
      row: position,
      field: "index",
      message: `There is already a ${job}/${index}.`,
      fix: { label: `Use ${job}/${free}`, row: { ...row, index: free } },
    };
  }
  if (row.machine === "" && address === "") {
    return {
      row: position,
      field: "machine",
      message: `${job}/${index} needs a machine to run on, or the address of a running server.`,
    };
  }
  if (address === "") return undefined;
  const parsed = parseHostPort(address);
  if (parsed === undefined || parsed.port === 0) return badAddress(rows, row, position);
  const twin = before.find((other) => sameAddress(other.address, address));
  if (twin) {
    const port = nextPort(rows, parsed.host, parsed.port);
    return {
      row: position,
      field: "address",
      message: `${twin.job}/${twin.index} already uses ${address}. Next free port on ${parsed.host}: ${port}.`,
      fix: { label: `Use ${port}`, row: { ...row, address: formatHostPort({ host: parsed.host, port }) } },
    };
  }
  if (context.addressesCrossMachines && isLoopback(parsed.host) && severalMachines(rows)) {
    return {
      row: position,
      field: "address",
      message: `On every other machine ${parsed.host} is that machine itself: write the name or address of the one that runs ${job}/${index}.`,
    };
  }
  return undefined;
}

function badAddress(rows: readonly TableRow[], row: TableRow, position: number): RowProblem {
  const { job, address } = row;
  const host = address.replace(/:$/, "");
  const isHost = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.%\w]+\])$/.test(host);
  if (!isHost) {
    const why = addressProblem(address) ?? "is not host:port";
    return { row: position, field: "address", message: `${address} ${why}.` };
  }
  const port = nextPort(rows, host, FIRST_TASK_PORT - 1);
  return {
    row: position,
    field: "address",
    message: `A ${job} address needs a port, for example ${host}:${port}.`,
    fix: { label: `Add :${port}`, row: { ...row, address: `${host}:${port}` } },
  };
}

/** The lowest index of a job that no row has. */
export function nextIndex(rows: readonly Pick<TableRow, "job" | "index">[], job: string): number {
  const used = new Set(rows.filter((row) => row.job === job).map((row) => row.index));
  let index = 0;
  while (used.has(index)) index++;
  return index;
}

function nextPort(rows: readonly TableRow[], host: string, after: number): number {
  const used = new Set(
    rows.flatMap(({ address }) => {
      const parsed = parseHostPort(address);
      return parsed?.host.toLowerCase() === host.toLowerCase() ? [parsed.port] : [];
    }),
  );
  for (let port = after + 1; port <= MAX_PORT; port++) if (!used.has(port)) return port;
  return FIRST_TASK_PORT;
}

function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function severalMachines(rows: readonly TableRow[]): boolean {
  const machines = new Set(rows.map(({ machine }) => machine).filter((machine) => machine !== ""));
  const hosts = new Set(
    rows.flatMap(({ machine, address }) => {
      const host = parseHostPort(address)?.host;
      return machine === "" && host !== undefined && !isLoopback(host) ? [host] : [];
    }),
  );
  return machines.size + hosts.size > 1;
}

/** The ClusterSpec of the rows that have an address. The caller has to leave out rows with problems. */
export function clusterOfRows(rows: readonly TableRow[]): ClusterSpec {
  const jobs: Record<string, Record<number, string>> = {};
  for (const { job, index, address } of rows) {
    if (address === "") continue;
    const tasks = jobs[job] ?? {};
    tasks[index] = address;
    jobs[job] = tasks;
  }
  return ClusterSpec.from(jobs);
}
