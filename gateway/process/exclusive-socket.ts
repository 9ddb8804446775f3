import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A claim among processes is a listening socket and not a file: the kernel drops it with its process, however that ends,
// so no claim is ever stale and no reused process id is taken for its holder.

/** The address of the socket for a name: in Linux's abstract namespace, which leaves no file behind; else a file. */
export function socketAddress(name: string): string {
  const key = `rowgate-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
  return process.platform === 'linux' ? `\0${key}` : join(tmpdir(), `${key}.sock`);
}

/** A server at the address, or undefined when a living process has it. */
export async function listenExclusively(address: string, accept: (socket: Socket) => void): Promise<Server | undefined> {
  const server = createServer(accept);
  try {
    await once(server.listen(address), 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (!(await isAbandoned(address))) return undefined;
    rmSync(address, { force: true });
    return listenExclusively(address, accept);
  }
}

/** A socket file outlives its process; then no process accepts connections on it. An abstract name does not. */
async function isAbandoned(address: string): Promise<boolean> {
  if (address.startsWith('\0')) return false;
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
