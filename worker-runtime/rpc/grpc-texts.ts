/**
 * The texts of errors that grpc-js itself makes. It gives a call that no server answered one of the codes that servers
 * give, too, and nothing but its text tells them apart; a server's own error never looks like these.
 */

const connectFailure = /^(?:No connection established|Name resolution failed)/;
// "Call cancelled" is a stream that the server reset; a call that we cancel says "Cancelled on client".
const lostConnection =
  /^Call cancelled$|Connection dropped|ECONNRESET|EPIPE|socket hang up|Stream removed|GOAWAY|RST_STREAM with code [27]|Received RST_STREAM with error code [27]/;
const ownDeadline = /^Deadline exceeded/;

/** Whether no connection could be made. */
export function isConnectFailure(details: string): boolean {
  return connectFailure.test(details);
}

/** Whether the connection ended under the call. */
export function isLostConnection(details: string): boolean {
  return lostConnection.test(details);
}

/** Whether the call's deadline passed here. */
export function isOwnDeadline(details: string): boolean {
  return ownDeadline.test(details);
}
