/**
 * Brings up the loopback interface of a new network namespace, like `ip link set lo up`, which may not be installed.
 */
import koffi from "koffi";
import { ownSymbols } from "../../../worker-runtime/programs/load-library.js";

const AF_INET = 2;
const SOCK_DGRAM = 2;
const SIOCGIFFLAGS = 0x8913;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** struct ifreq: a name of 16 bytes and a union, 40 bytes on 64-bit systems and 32 on others. */
const IFREQ_BYTES = 40;
const FLAGS_OFFSET = 16;

/** @throws Error when the system does not permit it. */
export function bringLoopbackUp(): void {
  const libc = ownSymbols();
  const socket = libc.func("int socket(int domain, int type, int protocol)");
  const ioctl = libc.func("int ioctl(int descriptor, unsigned long request, ...)");
  const close = libc.func("int close(int descriptor)");
  const descriptor: unknown = socket(AF_INET, SOCK_DGRAM, 0);
  if (typeof descriptor !== "number" || descriptor < 0) throw failure("no socket can be created");
  try {
    const request = Buffer.alloc(IFREQ_BYTES);
    request.write("lo", "latin1");
    if (ioctl(descriptor, SIOCGIFFLAGS, "void *", request) !== 0)
      throw failure("it has no loopback interface");
    request.writeInt16LE(request.readInt16LE(FLAGS_OFFSET) | IFF_UP, FLAGS_OFFSET);
    if (ioctl(descriptor, SIOCSIFFLAGS, "void *", request) !== 0) {
      throw failure("its loopback interface cannot be brought up");
    }
  } finally {
    close(descriptor);
  }
}

function failure(what: string): Error {
  return new Error(`${what} (errno ${koffi.errno()})`);
}
