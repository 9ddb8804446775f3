import { type Server } from 'node:net';
import { BootError } from '../error.ts';
import { listenExclusively, socketAddress } from '../process/exclusive-socket.ts';
import { candidatePorts, listenAlone, listenBeside, refusal, type ListenConfig } from './listen.ts';
import { App, us_listen_socket_close, us_socket_local_port, type us_listen_socket } from './uws.ts';

/** A port that only this process's workers may share. */
export type PortClaim = {
  port: number;
  /** Leaves new connections to the workers: called when the first of them listens. */
  handOver: () => void;
  release: () => void;
};

/**
 * Takes a port for workers. They listen side by side, which uWebSockets.js would let another service's workers do too; so
 * a parent claims the port by a socket of another kind, which the kernel drops with its process. That nobody else has the
 * port shows an exclusive listener, and one that may be joined then keeps it until a worker listens.
 * @throws BootError naming the port when it is taken.
 */
export async function claimPort(config: ListenConfig): Promise<PortClaim> {
  for (const wanted of candidatePorts(config)) {
    const claim = await claimOne(wanted);
    if (claim !== undefined) return claim;
  }
  throw new BootError(refusal(config));
}

async function claimOne(wanted: number): Promise<PortClaim | undefined> {
  const app = App();
  const alone = listenAlone(app, wanted);
  if (alone === undefined) return undefined;
  const port = us_socket_local_port(alone);
  const lock = await listenExclusively(socketAddress(`port ${port}`), socket => socket.end());
  us_listen_socket_close(alone);
  const joint = lock && listenBeside(app, port);
  if (joint === undefined) return void lock?.close();
  lock?.unref();
  return { port, handOver: () => closeOnce(joint), release: () => release(lock, joint) };
}

const closed = new WeakSet<us_listen_socket>();

function closeOnce(socket: us_listen_socket): void {
  if (closed.has(socket)) return;
  closed.add(socket);
  us_listen_socket_close(socket);
}

function release(lock: Server | undefined, joint: us_listen_socket): void {
  closeOnce(joint);
  lock?.close();
}
