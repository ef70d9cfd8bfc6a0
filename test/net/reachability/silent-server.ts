/** Run on a host of the test network: listens on the port and says nothing. */
import { createServer } from "node:net";

const [port = "0", host = "::"] = process.argv.slice(2);
createServer((socket) => {
  // Probes break off.
  socket.on("error", () => undefined).resume();
}).listen({ port: Number(port), host }, () => process.stdout.write("listening\n"));
