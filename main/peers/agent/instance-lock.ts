/**
 * One process for one data folder: two would present themselves to others as the same machine, and overwrite each
 * other's files. The account's other programs, such as `tensordeck agent link`, can query the process that holds the
 * lock.
 *
 * A file in the folder, readable by the account only, names the process, a port of the loopback interface on which it
 * answers, and a secret to present there. Only an answer proves that the process is alive, since process IDs are
 * reused.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { link, mkdir, readFile, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { errnoOf, fileProblem, problem, problemOf } from "../../shared/problems.js";
import { makePrivateFolder } from "../../storage/private-files.js";

const LOCK_FILE = "instance.json";
const OWNER_ONLY = 0o600;
const ANSWER_TIMEOUT_MILLIS = 5000;
const MAX_LINE_BYTES = 4096;
/**
 * Every account of the machine can connect. Beyond this number the oldest connection is closed, so that a new request
 * is answered.
 */
const MAX_CONNECTIONS = 64;
/** A process that finds a stale lock may find another one in its place on the next look. */
const MAX_ATTEMPTS = 100;
const BETWEEN_ATTEMPTS_MILLIS = 20;
/** Removing a stale lock takes milliseconds. */
const STALE_GUARD_MILLIS = 10_000;

const recordSchema = z.object({ pid: z.number().int(), port: z.number().int(), secret: z.string() });
type LockRecord = z.infer<typeof recordSchema>;

/** pid: which process it is. link: a one-time address of its window. peers: `knownPeersSchema` as JSON. */
const commandSchema = z.enum(["pid", "link", "peers"]);
export type InstanceCommand = z.infer<typeof commandSchema>;

/** Facts about other machines that the process has learned, and that another program would learn late or never. */
export const knownPeersSchema = z.object({
  /** Addresses ("host:port") of machines that share one identity, by device ID. */
  clones: z.record(z.string(), z.array(z.string())),
  /** Device IDs of the machines that have a connection to this one now. */
  callers: z.array(z.string()),
});
export type KnownPeers = z.infer<typeof knownPeersSchema>;

/** The answer of the process that holds the data folder. */
export interface InstanceAnswers {
  /** A one-time address of the window. @throws ProblemError if there is none. */
  readonly link: () => string;
  /** Absent or undefined while nothing is known. */
  readonly peers?: () => KnownPeers | undefined;
}

const questionSchema = z.object({ secret: z.string(), command: commandSchema });
const answerSchema = z.union([
  z.object({ answer: z.string() }),
  z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() }),
]);

export class InstanceLock {
  readonly #path: string;
  readonly #server: Server;
  readonly #text: string;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(path: string, server: Server, text: string, sockets: ReadonlySet<Socket>) {
    this.#path = path;
    this.#server = server;
    this.#text = text;
    this.#sockets = sockets;
  }

  /**
   * Locks the data folder for this process.
   *
   * @throws ProblemError FAILED_PRECONDITION when another process holds it, which the message names.
   */
  static async claim(dataDir: string, answers: InstanceAnswers): Promise<InstanceLock> {
    const path = join(dataDir, LOCK_FILE);
    const secret = randomBytes(32).toString("base64url");
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      const [oldest] = sockets;
      if (sockets.size > MAX_CONNECTIONS) oldest?.destroy();
      inBackground(answerOn(socket, secret, answers));
    });
    try {
      await makePrivateFolder(dataDir);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host: "127.0.0.1", port: 0 }, resolve);
      });
      // The server must not keep the process running.
      server.unref();
      const { port } = server.address() as AddressInfo;
      const record: LockRecord = { pid: process.pid, port, secret };
      const text = JSON.stringify(record);
      await put(path, text);
      return new InstanceLock(path, server, text, sockets);
    } catch (error) {
      server.close();
      throw fileProblem(`The data folder ${dataDir} could not be taken`, error);
    }
  }

  /** Releases the data folder. */
  async release(): Promise<void> {
    const now = await readFile(this.#path, "utf8").catch(() => undefined);
    if (now === this.#text) await unlink(this.#path).catch(() => undefined);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/**
 * Queries the process that holds a data folder.
 *
 * @returns undefined when no process does.
 * @throws ProblemError what it answers; DEADLINE_EXCEEDED when it does not.
 */
export async function askInstance(dataDir: string, command: InstanceCommand): Promise<string | undefined> {
  const record = parsed(recordSchema, await readFile(join(dataDir, LOCK_FILE), "utf8").catch(() => ""));
  return record && (await ask(record, command));
}

/** Creates the lock file, which fails if one exists, and tries again if that one turns out to be stale. */
async function put(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { mode: OWNER_ONLY, flag: "wx" });
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        // Unlike a rename, a link never replaces a file; unlike an opened file, it is never seen half-written.
        await link(temporary, path);
        return;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
      }
      await removeDead(path);
    }
    throw problem("ABORTED", "Another Tensordeck starts with the same data folder.", {
      remedy: "Try again.",
    });
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** @throws ProblemError FAILED_PRECONDITION when the process that holds the lock is alive. */
async function removeDead(path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const record = parsed(recordSchema, text);
  if (record && (await lives(record))) {
    throw problem("FAILED_PRECONDITION", `Tensordeck is already running here, as process ${record.pid}.`, {
      reason: "Two with the same data folder would be the same machine to all other machines.",
      remedy: "Use that one (tensordeck agent link shows its window), end it, or choose another --data-dir.",
    });
  }
  await alone(`${path}.removing`, async () => {
    // A process whose turn came earlier may have created its own lock.
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) await unlink(path);
  });
}

/**
 * Runs a critical section that only one process may be in at a time; does nothing while another one is in it.
 */
async function alone(guard: string, work: () => Promise<void>): Promise<void> {
  try {
    await mkdir(guard);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    const { mtimeMs } = await stat(guard).catch(() => ({ mtimeMs: Date.now() }));
    // Its process was killed inside the critical section.
    if (Date.now() - mtimeMs > STALE_GUARD_MILLIS) await rmdir(guard).catch(() => undefined);
    await delay(BETWEEN_ATTEMPTS_MILLIS);
    return;
  }
  try {
    await work();
  } finally {
    await rmdir(guard).catch(() => undefined);
  }
}

async function lives(record: LockRecord): Promise<boolean> {
  try {
    return (await ask(record, "pid")) !== undefined;
  } catch {
    // The connection was accepted but nothing is answered: the process is busy or stopped, or another program has
    // its port.
    return processExists(record.pid);
  }
}

/** undefined for text that is something else. */
function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** undefined when nothing answers there, or a process other than the one that wrote the record. */
async function ask(record: LockRecord, command: InstanceCommand): Promise<string | undefined> {
  const socket = connect({ host: "127.0.0.1", port: record.port });
  socket.setTimeout(ANSWER_TIMEOUT_MILLIS, () => socket.destroy(unanswered(record.pid)));
  try {
    const line = await new Promise<string | undefined>((resolve, reject) => {
      socket.once("error", (error) => (errnoOf(error) === undefined ? reject(error) : resolve(undefined)));
      socket.once("connect", () => socket.write(`${JSON.stringify({ secret: record.secret, command })}\n`));
      readLine(socket).then(resolve, reject);
    });
    if (line === undefined) return undefined;
    const answer = parsed(answerSchema, line);
    if (answer === undefined || "answer" in answer) return answer?.answer;
    throw problem(answer.code, answer.message, { remedy: answer.remedy });
  } finally {
    socket.destroy();
  }
}

function unanswered(pid: number): Error {
  return problem("DEADLINE_EXCEEDED", `Tensordeck, process ${pid}, does not answer.`, {
    remedy: "End that process and try again.",
  });
}

async function answerOn(socket: Socket, secret: string, answers: InstanceAnswers): Promise<void> {
  socket.on("error", () => socket.destroy());
  socket.setTimeout(ANSWER_TIMEOUT_MILLIS, () => socket.destroy());
  const line = await readLine(socket);
  const question = line === undefined ? undefined : parsed(questionSchema, line);
  if (!question || !sameSecret(question.secret, secret)) {
    socket.destroy();
    return;
  }
  socket.end(`${JSON.stringify(answerTo(question.command, answers))}\n`);
}

function answerTo(command: InstanceCommand, { link, peers }: InstanceAnswers): z.infer<typeof answerSchema> {
  try {
    switch (command) {
      case "pid":
        return { answer: String(process.pid) };
      case "link":
        return { answer: link() };
      case "peers":
        return { answer: JSON.stringify(peers?.() ?? { clones: {}, callers: [] }) };
    }
  } catch (error) {
    return problemOf(error);
  }
}

/**
 * The first line; undefined when the connection ends or breaks before that, or when it is too long.
 *
 * @throws Error with which this process destroyed the socket.
 */
async function readLine(socket: Socket): Promise<string | undefined> {
  let text = "";
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      const end = text.indexOf("\n");
      if (end >= 0) return text.slice(0, end);
      if (text.length > MAX_LINE_BYTES) return undefined;
    }
  } catch (error) {
    // Errors caused by the other end or by the system have a code, including a premature close.
    if (errnoOf(error) === undefined) throw error;
  }
  return undefined;
}

function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
